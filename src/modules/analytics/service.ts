import { parseSearchedAddress } from '@/lib/mail/address';
import { SUPPRESSION_REASONS } from '@/lib/mail/suppression';
import { accessibleDomainIds, authorizeDomain } from '@/server/access/authorize';
import type { Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import { readBreakdown } from './breakdown';
import type { Bin } from './delivery-times';
import { figuresOf } from './figures';
import { groupBy } from './group-by';
import { hourly, type Range, rangeOf } from './period/period';
import { HOUR_MS } from './period/points';
import type { Analytics, AnalyticsPoint, GetAnalytics, Suppressions } from './schema';
import { type CountRow, type DeliveryRow, readCounts, readDeliveries, readSenderCounts, type Selected } from './sums';

/** Three or four queries at once, after that of `authorizeDomain`; one more names the values of a breakdown. */
export async function getAnalytics(ctx: ActorContext, input: GetAnalytics): Promise<Analytics> {
  const { domain_id: domainId, sender, dimension } = input;
  const range = rangeOf(input, ctx.clock.now());
  if (sender && dimension) throw exclusive();
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const selected = { range, domainIds: domainId ? [domainId] : accessibleDomainIds(ctx.actor) };
  const [{ counts, deliveries }, breakdown, suppressions] = await Promise.all([
    sender ? readSender(ctx, selected, sender) : readAll(ctx, selected),
    dimension ? readBreakdown(ctx, selected, { dimension, limit: input.limit }) : [],
    sender ? null : countSuppressions(ctx.db, selected),
  ]);
  const countsOf = byPart(counts);
  const deliveriesOf = byPart(deliveries);
  const figuresOfParts = (parts: number[]) => figuresOf(parts.flatMap(countsOf), merged(parts.flatMap(deliveriesOf)));
  return {
    period: range.period,
    start: range.start.toISOString(),
    end: range.end.toISOString(),
    granularity: range.granularity,
    timezone: range.timezone,
    totals: figuresOfParts(range.points.map((_, index) => index + 1)),
    suppressions: suppressions?.current ?? null,
    previous: {
      start: range.previous.start.toISOString(),
      end: range.previous.end.toISOString(),
      totals: figuresOfParts([0]),
      suppressions: suppressions?.previous ?? null,
    },
    series: seriesOf(range, (index) => figuresOfParts([index + 1])),
    dimension: dimension ?? null,
    breakdown,
  };
}

type StatusCount = { direction: 'outbound' | 'inbound'; status: string; count: number };

/** Messages in the caller's domain scope of the last hours and the quarter of an hour before, by status and direction. */
export async function countByStatus(
  ctx: ActorContext,
  { domainId, hours }: { domainId: string | undefined; hours: number },
): Promise<{ since: Date; counts: StatusCount[] }> {
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const range = rangeOf(lastHours(hours, ctx.clock.now()), ctx.clock.now());
  const domainIds = domainId ? [domainId] : accessibleDomainIds(ctx.actor);
  const counts = await readCounts(ctx.db, { range, domainIds });
  return {
    since: range.start,
    counts: counts
      .filter(({ part }) => part > 0)
      .map(({ direction, status, count }) => ({ direction, status: status === 'rejected' ? 'failed' : status, count })),
  };
}

/** Senders with most messages, among whom those are looked for whose messages don't arrive. */
const MAX_SENDERS = 50;
export const MANY_UNDELIVERED = 10;
const MAX_TROUBLED = 5;

/** The senders of most bounced and failed messages in the last hours, in the caller's domain scope. By UTC hour. */
export async function findTroubledSenders(
  ctx: ActorContext,
  { domainId, hours }: { domainId: string | undefined; hours: number },
): Promise<{ sender: string; bounced: number; failed: number; deferred: number }[]> {
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const range = rangeOf(lastHours(hours, ctx.clock.now()), ctx.clock.now());
  const domainIds = domainId ? [domainId] : accessibleDomainIds(ctx.actor);
  const entries = await readBreakdown(ctx, { range, domainIds }, { dimension: 'sender', limit: MAX_SENDERS });
  return entries
    .flatMap(({ value: sender, bounced, failed, deferred }) =>
      sender !== null && bounced + failed >= MANY_UNDELIVERED ? [{ sender, bounced, failed, deferred }] : [],
    )
    .sort((one, other) => other.bounced + other.failed - (one.bounced + one.failed))
    .slice(0, MAX_TROUBLED);
}

/** A period to ask for. */
export function lastHours(hours: number, now: Date) {
  const start = new Date(now.getTime() - hours * HOUR_MS).toISOString();
  return { period: 'custom', start, granularity: 'hour', timezone: 'UTC' } as const;
}

type Rows = { counts: CountRow[]; deliveries: DeliveryRow[] };

async function readAll({ db }: ActorContext, selected: Selected): Promise<Rows> {
  const [counts, deliveries] = await Promise.all([readCounts(db, selected), readDeliveries(db, selected)]);
  return { counts, deliveries };
}

async function readSender({ db }: ActorContext, { range, domainIds }: Selected, sender: string): Promise<Rows> {
  const address = (parseSearchedAddress(sender)?.address ?? sender).toLowerCase();
  const counts = await readSenderCounts(db, { range: hourly(range), domainIds }, address);
  return { counts, deliveries: [] };
}

function seriesOf({ points, end }: Range, figures: (index: number) => ReturnType<typeof figuresOf>): AnalyticsPoint[] {
  return points.map((at, index) => ({
    at: at.toISOString(),
    until: (points[index + 1] ?? end).toISOString(),
    ...figures(index),
  }));
}

function byPart<Row extends { part: number }>(rows: readonly Row[]): (part: number) => Row[] {
  const groups = groupBy(rows, ({ part }) => part);
  return (part) => groups.get(part) ?? [];
}

function merged(bins: readonly Bin[]): Bin[] {
  const counts = new Map<number, number>();
  for (const { bin, count } of bins) counts.set(bin, (counts.get(bin) ?? 0) + count);
  return [...counts].map(([bin, count]) => ({ bin, count }));
}

function exclusive(): AppError {
  const message = 'Leave out dimension, or sender.';
  const details = { fields: [{ path: 'dimension', message }] };
  return new AppError('VALIDATION_ERROR', 'A breakdown can’t be combined with a sender.', { details });
}

type Row = { reason: keyof Suppressions; isCurrent: boolean; count: number };

/** How many suppressions were added in the period and in the one before, and hold still. Reads those of both, by an index. */
async function countSuppressions(
  db: Tx,
  { range, domainIds }: Selected,
): Promise<{ current: Suppressions; previous: Suppressions }> {
  const { start, end, previous } = range;
  const own = domainIds ? Prisma.sql`AND domain_id = ANY (${domainIds}::uuid[])` : Prisma.empty;
  const rows = await db.$queryRaw<Row[]>`
    SELECT reason::text AS reason, created_at >= ${start} AS "isCurrent", count(*)::integer AS count
      FROM suppression WHERE created_at >= ${previous.start} AND created_at < ${end} ${own} GROUP BY 1, 2`;
  const sum = (isCurrent: boolean) => {
    const found = rows.filter((row) => row.isCurrent === isCurrent).map(({ reason, count }) => [reason, count]);
    return { ...NONE, ...Object.fromEntries(found) };
  };
  return { current: sum(true), previous: sum(false) };
}

const NONE = Object.fromEntries(SUPPRESSION_REASONS.map((reason) => [reason, 0])) as Suppressions;

import { accessibleDomainIds, authorizeDomain } from '@/server/access';
import type { ActorContext } from '@/server/context';
import { AppError } from '@/server/errors';
import type { Page } from '@/server/pagination';
import type { FeedEvent, ReadFeed } from './schema';

const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * Events in the order of their places, after the one given. A page ends early where it would grow past 4 MiB, so that
 * many long events cost no more than a few. `next_cursor` is always a place to go on from, on the last page too.
 * @throws INVALID_PAGINATION for a place that was never given, as after the database went back to a backup
 */
export async function readFeed(ctx: ActorContext, input: ReadFeed): Promise<Page<FeedEvent>> {
  const { limit, event: type, domain_id: domainId, since } = input;
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  const after = BigInt(input.after);
  const { given, highest } = await sequenceRange(ctx);
  if (after > given) throw unknownCursor(given);
  const listed = await ctx.db.event.findMany({
    where: {
      AND: [
        { sequence: { gt: after, lte: highest } },
        await inScope(ctx),
        { domainId, type: type ?? { not: 'mail.received.full' } },
        since ? { createdAt: { gte: new Date(since) } } : {},
      ],
    },
    orderBy: { sequence: 'asc' },
    take: limit + 1,
    select: { id: true, bodyBytes: true },
  });
  const ids = withinSizeLimit(listed.slice(0, limit));
  const rows = await ctx.db.event.findMany({
    where: { id: { in: ids } },
    orderBy: { sequence: 'asc' },
    select: { id: true, sequence: true, domainId: true, messageRowId: true, body: true },
  });
  const hasMore = listed.length > ids.length;
  // Nothing up to the highest place is left to read, whatever the filter passed over.
  const last = hasMore ? (rows.at(-1)?.sequence ?? after) : highest;
  return {
    items: rows.map((row) => ({
      sequence: Number(row.sequence),
      id: row.id,
      domain_id: row.domainId,
      stored_message_id: row.messageRowId,
      body: row.body === null ? null : JSON.parse(row.body),
    })),
    pagination: { next_cursor: String(last > after ? last : after), has_more: hasMore },
  };
}

/** The highest place of an event there is, and of those that were ever given. */
async function sequenceRange({ db }: ActorContext): Promise<{ given: bigint; highest: bigint }> {
  const [row] = await db.$queryRaw<{ given: bigint; highest: bigint }[]>`
    SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS given,
           (SELECT coalesce(max(sequence), 0) FROM event) AS highest FROM event_sequence`;
  return row ?? { given: 0n, highest: 0n };
}

/** An event outlives its domain, and a key's scope may name one that is gone: that reaches nothing. */
async function inScope({ actor, db }: ActorContext): Promise<{ domainId?: { in: string[] } }> {
  const ids = accessibleDomainIds(actor);
  if (!ids) return {};
  const domains = await db.domain.findMany({ where: { id: { in: ids } }, select: { id: true } });
  return { domainId: { in: domains.map(({ id }) => id) } };
}

function withinSizeLimit(rows: { id: string; bodyBytes: number }[]): string[] {
  let bytes = 0;
  const fits = rows.filter(({ bodyBytes }, index) => {
    bytes += bodyBytes;
    return index === 0 || bytes <= MAX_PAGE_BYTES;
  });
  return fits.map(({ id }) => id);
}

function unknownCursor(given: bigint): AppError {
  const message = `There is no such place: the last one given is ${given}. Was the database set back? Begin anew there.`;
  return new AppError('INVALID_PAGINATION', message, { details: { fields: [{ path: 'after', message }] } });
}

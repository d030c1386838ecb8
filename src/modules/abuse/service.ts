import { authorizeDomain } from '@/server/access/authorize';
import { isMissingRow, type Tx } from '@/server/db';
import { notFound } from '@/server/errors';
import { type Page, paginate } from '@/server/pagination';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { type DailyAlert, raiseDailyAlerts } from './alerts';
import { type OverLimit, rejectOverLimit, type SendContext, uncount } from './rates';
import type {
  AbuseAlert,
  AbuseSummary,
  AbuseThresholds,
  ListAbuseAlerts,
  UpdateAbuseAlert,
  UpdateAbuseThresholds,
} from './schema';

export type { Counting } from './rates';

const HOUR_MS = 3_600_000;
const THRESHOLDS_ID = 1;

/** Handles a message over an hourly limit. @returns the error for the sender */
export function rejectSend(ctx: SendContext, over: OverLimit): ReturnType<typeof rejectOverLimit> {
  return rejectOverLimit(ctx, over);
}

/** Reverses the count of a message that the mail server rejected, in the transaction that records the rejection. */
export function uncountSend(tx: Prisma.TransactionClient, id: string): Promise<void> {
  return uncount(tx, id);
}

/** For alerts of other modules. */
export function raiseAlert(tx: Prisma.TransactionClient, alert: DailyAlert, now: Date): Promise<void> {
  return raiseDailyAlerts(tx, [alert], now);
}

export async function getAbuseSummary({ db, clock }: ActorContext): Promise<AbuseSummary> {
  const since = (hours: number) => ({ where: { at: { gt: new Date(clock.now().getTime() - hours * HOUR_MS) } } });
  const [suspended, openAlerts, sentLastHour, sentLastDay, limitedLastDay] = await Promise.all([
    db.mailbox.count({ where: { suspendedAt: { not: null } } }),
    db.abuseAlert.count({ where: { status: 'open' } }),
    db.countedSend.count(since(1)),
    db.countedSend.count(since(24)),
    db.limitedSend.count(since(24)),
  ]);
  return {
    suspended_mailboxes: suspended,
    open_alerts: openAlerts,
    sent_last_hour: sentLastHour,
    sent_last_24h: sentLastDay,
    limited_last_24h: limitedLastDay,
  };
}

/** @throws the errors of authorizeDomain */
export async function listAbuseAlerts(ctx: ActorContext, input: ListAbuseAlerts): Promise<Page<AbuseAlert>> {
  const { status, kind, domain_id: domainId } = input;
  if (domainId) await authorizeDomain(ctx, { id: domainId }, { allowInactive: true });
  return paginate(
    'abuse-alerts',
    input,
    'createdAt',
    ({ where, ...keyset }) =>
      ctx.db.abuseAlert.findMany({ ...keyset, where: { AND: [where, { status, kind, domainId }] } }),
    presentAlert,
  );
}

export async function updateAbuseAlert(ctx: MutationContext, { id, status }: UpdateAbuseAlert): Promise<AbuseAlert> {
  return ctx.transaction(async ({ tx, audit }) => {
    const row = await tx.abuseAlert.findUnique({ where: { id } });
    if (!row) throw notFound('alert');
    const changed = await tx.abuseAlert.update({ where: { id }, data: { status } }).catch((error) => {
      throw isMissingRow(error) ? notFound('alert') : error;
    });
    const after = presentAlert(changed);
    await audit({ resource: `abuse_alert:${id}`, domainId: row.domainId, before: presentAlert(row), after });
    return after;
  });
}

export async function getAbuseThresholds(ctx: ActorContext): Promise<AbuseThresholds> {
  return readThresholds(ctx.db);
}

/** Changes only the supplied values, which apply from the next message. */
export async function updateAbuseThresholds(
  ctx: MutationContext,
  input: UpdateAbuseThresholds,
): Promise<AbuseThresholds> {
  const { mailbox_hourly: mailboxHourly, domain_hourly: domainHourly, spike_factor: spikeFactor } = input;
  return ctx.transaction(async ({ tx, audit }) => {
    await tx.$queryRaw`SELECT id FROM abuse_threshold FOR UPDATE`;
    const before = await readThresholds(tx);
    const data = { mailboxHourly, domainHourly, spikeFactor };
    const after = presentThresholds(await tx.abuseThreshold.update({ where: { id: THRESHOLDS_ID }, data }));
    await audit({ resource: 'abuse_threshold', before, after });
    return after;
  });
}

async function readThresholds(db: Tx): Promise<AbuseThresholds> {
  return presentThresholds(await db.abuseThreshold.findUniqueOrThrow({ where: { id: THRESHOLDS_ID } }));
}

function presentAlert(row: Prisma.AbuseAlertGetPayload<object>): AbuseAlert {
  return {
    id: row.id,
    kind: row.kind,
    status: row.status,
    subject: row.subject,
    domain_id: row.domainId,
    mailbox_id: row.mailboxId,
    message: messageOf(row),
    count: row.count,
    expected: row.expected,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

function messageOf({ kind, subject, count, expected }: Prisma.AbuseAlertGetPayload<object>): string {
  if (kind === 'webhook_failing')
    return `The webhook ${subject} failed ${count} times in a row. Deliveries to it continue.`;
  const sent = `${subject} sent ${count} messages in an hour`;
  if (kind === 'volume_spike') return `${sent}; the hourly average of the previous 7 days is ${expected.toFixed(1)}.`;
  if (kind === 'rate_limited') return `${sent}; the limit is ${expected}. Further messages were rejected.`;
  return `${sent}; the limit is ${expected}. The mailbox was suspended.`;
}

function presentThresholds(row: Prisma.AbuseThresholdGetPayload<object>): AbuseThresholds {
  return {
    mailbox_hourly: row.mailboxHourly,
    domain_hourly: row.domainHourly,
    spike_factor: row.spikeFactor,
    updated_at: row.updatedAt.toISOString(),
  };
}

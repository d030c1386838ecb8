import { countOpenAlerts } from '@/modules/alerts/service';
import type { Tx } from '@/server/database/db';
import type { Prisma } from '@/server/prisma/client';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { rejectOverLimit } from './rates';
import type { AbuseSummary, AbuseThresholds, UpdateAbuseThresholds } from './schema';
import { admitSubmission } from './submission';

export type { Counting } from './rates';

export { admitSubmission, rejectOverLimit };

const HOUR_MS = 3_600_000;
const THRESHOLDS_ID = 1;

export async function getAbuseSummary(ctx: ActorContext): Promise<AbuseSummary> {
  const { db, clock } = ctx;
  const since = (hours: number) => ({ where: { at: { gt: new Date(clock.now().getTime() - hours * HOUR_MS) } } });
  const [suspended, openAlerts, sentLastHour, sentLastDay, limitedLastDay] = await Promise.all([
    db.mailbox.count({ where: { suspendedAt: { not: null } } }),
    countOpenAlerts(ctx),
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

export async function getAbuseThresholds(ctx: ActorContext): Promise<AbuseThresholds> {
  return readThresholds(ctx.db);
}

/** Changes only the supplied values, which apply from the next message. */
export async function updateAbuseThresholds(
  ctx: MutationContext,
  input: UpdateAbuseThresholds,
): Promise<AbuseThresholds> {
  const { mailbox_hourly: mailboxHourly, domain_hourly: domainHourly, spike_factor: spikeFactor } = input;
  return ctx.transaction(async ({ tx, audit, requireVersion }) => {
    await tx.$queryRaw`SELECT id FROM abuse_threshold FOR UPDATE`;
    await requireVersion();
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

function presentThresholds(row: Prisma.AbuseThresholdGetPayload<object>): AbuseThresholds {
  return {
    mailbox_hourly: row.mailboxHourly,
    domain_hourly: row.domainHourly,
    spike_factor: row.spikeFactor,
    updated_at: row.updatedAt.toISOString(),
  };
}

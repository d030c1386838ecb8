import { openAlerts } from '@/modules/alerts/service';
import { inPacedBatches } from '@/server/background/in-batches';
import type { Database } from '@/server/database/db';
import { Prisma } from '@/server/prisma/client';

const HOUR_MS = 3_600_000;
const BASELINE_HOURS = 7 * 24;
const KEPT_HOURS = 8 * 24;
// Fewer messages are never a spike, however low the usual volume.
const SPIKE_MINIMUM = 20;

type Spike = { subject: string; domainId: string; mailboxId: string | null; count: number; expected: number };

/**
 * Raises an alert for every address and domain that sent more in the last hour than spike_factor times the hourly
 * average of the 7 days before. Nothing is rejected.
 */
export async function raiseSpikeAlerts(db: Database, now: Date): Promise<void> {
  const spikes = [...(await findAddressSpikes(db, now)), ...(await findDomainSpikes(db, now))];
  const alerts = spikes.map((spike) => ({ kind: 'volume_spike' as const, ...spike }));
  await openAlerts(db, alerts, now);
}

/** Deletes counts older than 8 days. The hourly limits need one hour, spike detection another 7 days. */
export async function deleteOldSends(db: Database, now: Date): Promise<void> {
  const before = hoursBefore(now, KEPT_HOURS);
  for (const table of [Prisma.sql`counted_send`, Prisma.sql`limited_send`]) {
    await inPacedBatches(
      (size) => db.$executeRaw`
        DELETE FROM ${table} WHERE id IN (SELECT id FROM ${table} WHERE at < ${before} ORDER BY at LIMIT ${size})`,
    );
  }
  await db.$executeRaw`DELETE FROM send_window WHERE since < ${before}`;
}

function findAddressSpikes(db: Database, now: Date): Promise<Spike[]> {
  const [hourAgo, start] = [hoursBefore(now, 1), hoursBefore(now, BASELINE_HOURS + 1)];
  return db.$queryRaw`
    SELECT recent.address AS subject, recent.domain_id AS "domainId", m.id AS "mailboxId", recent.sent AS count,
           usual.sent AS expected
      FROM (SELECT address, domain_id, count(*)::int AS sent FROM counted_send WHERE at > ${hourAgo}
             GROUP BY address, domain_id HAVING count(*) >= ${SPIKE_MINIMUM}) recent
     CROSS JOIN LATERAL (SELECT count(*)::float8 / ${BASELINE_HOURS} AS sent FROM counted_send c
                          WHERE c.address = recent.address AND c.at > ${start} AND c.at <= ${hourAgo}) usual
      JOIN abuse_threshold t ON recent.sent > t.spike_factor * usual.sent
      LEFT JOIN mailbox m ON m.domain_id = recent.domain_id AND m.local_part = split_part(recent.address, '@', 1)`;
}

function findDomainSpikes(db: Database, now: Date): Promise<Spike[]> {
  const [hourAgo, start] = [hoursBefore(now, 1), hoursBefore(now, BASELINE_HOURS + 1)];
  return db.$queryRaw`
    SELECT d.name AS subject, d.id AS "domainId", NULL::uuid AS "mailboxId", recent.sent AS count, usual.sent AS expected
      FROM (SELECT domain_id, count(*)::int AS sent FROM counted_send WHERE at > ${hourAgo}
             GROUP BY domain_id HAVING count(*) >= ${SPIKE_MINIMUM}) recent
     CROSS JOIN LATERAL (SELECT count(*)::float8 / ${BASELINE_HOURS} AS sent FROM counted_send c
                          WHERE c.domain_id = recent.domain_id AND c.at > ${start} AND c.at <= ${hourAgo}) usual
      JOIN abuse_threshold t ON recent.sent > t.spike_factor * usual.sent
      JOIN domain d ON d.id = recent.domain_id`;
}

function hoursBefore(now: Date, hours: number): Date {
  return new Date(now.getTime() - hours * HOUR_MS);
}

import { formatCount } from '@/lib/format';
import { openAlerts } from '@/modules/alerts/service';
import { inPacedBatches } from '@/server/background/in-batches';
import type { Database } from '@/server/database/db';
import { Prisma } from '@/server/prisma/client';

const HOUR_MS = 3_600_000;
const BASELINE_HOURS = 7 * 24;
const KEPT_HOURS = 8 * 24;
// Fewer are never a spike, however low the usual volume: as many recipients as two messages can have.
const SPIKE_MINIMUM = { messages: 20, recipients: 200 };

/** The volume of an address or a domain in the last hour, and its hourly average before. */
type Volume = {
  subject: string;
  domainId: string;
  mailboxId: string | null;
  messages: number;
  usualMessages: number;
  recipients: number;
  /** Null if the recipients are clearly no spike. */
  usualRecipients: number | null;
  spikeFactor: number;
};

/**
 * Raises an alert for every address and domain that sent more messages in the last hour, or to more recipients, than
 * spike_factor times the hourly average of the 7 days before. Nothing is rejected.
 */
export async function raiseSpikeAlerts(db: Database, now: Date): Promise<void> {
  const volumes = [...(await findAddressVolumes(db, now)), ...(await findDomainVolumes(db, now))];
  const alerts = volumes.flatMap((volume) => {
    const { subject, domainId, mailboxId, messages, usualMessages, spikeFactor } = volume;
    const hasManyMessages = messages >= SPIKE_MINIMUM.messages && messages > spikeFactor * usualMessages;
    const text = manyRecipientsText(volume);
    if (!hasManyMessages && text === '') return [];
    const about = { subject, domainId, mailboxId, count: messages, expected: usualMessages, text };
    return [{ kind: 'volume_spike' as const, ...about }];
  });
  await openAlerts(db, alerts, now);
}

function manyRecipientsText({ recipients, usualRecipients, spikeFactor }: Volume): string {
  if (usualRecipients === null || recipients <= spikeFactor * usualRecipients) return '';
  return `They had ${formatCount(recipients)} recipients (usually ${usualRecipients.toFixed(1)}).`;
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

// A message counts as one recipient once it was deleted.
const SENT = Prisma.sql`
  (SELECT c.*, (SELECT greatest(1, count(*)) FROM message_recipient r WHERE r.message_id = c.id) AS recipients FROM counted_send c)`;
const RECENT = Prisma.sql`count(*)::int AS messages, sum(recipients)::int AS recipients`;
const HAS_MINIMUM = Prisma.sql`
  count(*) >= ${SPIKE_MINIMUM.messages} OR sum(recipients) >= ${SPIKE_MINIMUM.recipients}`;

/** The columns of Volume, but for whose it is. `before`: what the subject sent before the last hour, its condition on `sent`. */
function volume(before: Prisma.Sql): Prisma.Sql {
  // Each message has a recipient, so the week of most subjects is counted without its recipients.
  return Prisma.sql`
    recent.messages, usual.messages AS "usualMessages", recent.recipients, t.spike_factor AS "spikeFactor",
    CASE WHEN recent.recipients >= ${SPIKE_MINIMUM.recipients} AND recent.recipients > t.spike_factor * usual.messages
         THEN (SELECT coalesce(sum(recipients), 0)::float8 / ${BASELINE_HOURS} FROM ${SENT} sent WHERE ${before})
    END AS "usualRecipients"`;
}

function findAddressVolumes(db: Database, now: Date): Promise<Volume[]> {
  const [hourAgo, start] = [hoursBefore(now, 1), hoursBefore(now, BASELINE_HOURS + 1)];
  const before = Prisma.sql`sent.address = recent.address AND sent.at > ${start} AND sent.at <= ${hourAgo}`;
  return db.$queryRaw`
    SELECT recent.address AS subject, recent.domain_id AS "domainId", m.id AS "mailboxId", ${volume(before)}
      FROM (SELECT address, domain_id, ${RECENT} FROM ${SENT} sent WHERE at > ${hourAgo}
             GROUP BY address, domain_id HAVING ${HAS_MINIMUM}) recent
     CROSS JOIN LATERAL (SELECT count(*)::float8 / ${BASELINE_HOURS} AS messages FROM counted_send sent WHERE ${before}) usual
     CROSS JOIN abuse_threshold t
      LEFT JOIN mailbox m ON m.domain_id = recent.domain_id AND m.local_part = split_part(recent.address, '@', 1)`;
}

function findDomainVolumes(db: Database, now: Date): Promise<Volume[]> {
  const [hourAgo, start] = [hoursBefore(now, 1), hoursBefore(now, BASELINE_HOURS + 1)];
  const before = Prisma.sql`sent.domain_id = recent.domain_id AND sent.at > ${start} AND sent.at <= ${hourAgo}`;
  return db.$queryRaw`
    SELECT d.name AS subject, d.id AS "domainId", NULL::uuid AS "mailboxId", ${volume(before)}
      FROM (SELECT domain_id, ${RECENT} FROM ${SENT} sent WHERE at > ${hourAgo}
             GROUP BY domain_id HAVING ${HAS_MINIMUM}) recent
     CROSS JOIN LATERAL (SELECT count(*)::float8 / ${BASELINE_HOURS} AS messages FROM counted_send sent WHERE ${before}) usual
     CROSS JOIN abuse_threshold t
      JOIN domain d ON d.id = recent.domain_id`;
}

function hoursBefore(now: Date, hours: number): Date {
  return new Date(now.getTime() - hours * HOUR_MS);
}

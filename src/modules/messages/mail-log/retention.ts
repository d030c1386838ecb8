import type { Database } from '@/server/database/db';

const FINISHED_HOURS = 24;
// Longer than the queue lifetime of Postfix.
const UNFINISHED_DAYS = 14;

/** Deletes finished mail after a day, and mail whose end the log never showed after two weeks. */
export async function deleteOldLoggedMail(db: Database): Promise<void> {
  await db.$executeRaw`
    DELETE FROM logged_mail m
     WHERE m.seen_at < now() - make_interval(hours => ${FINISHED_HOURS})
       AND (m.removed_at IS NOT NULL OR m.mail_from IS NULL OR m.seen_at < now() - make_interval(days => ${UNFINISHED_DAYS}))
       AND NOT EXISTS (SELECT FROM inbound_delivery d WHERE d.queue_id = m.queue_id AND d.reported_at IS NULL)`;
}

import type { Database } from '@/server/db';

const FINISHED_HOURS = 24;
// Longer than Postfix keeps anything in its queue.
const UNFINISHED_DAYS = 14;

/** Forgets what is dealt with, and what the log never told the end of. */
export async function deleteOldLoggedMail(db: Database): Promise<void> {
  await db.$executeRaw`
    DELETE FROM logged_mail t
     WHERE t.seen_at < now() - make_interval(hours => ${FINISHED_HOURS})
       AND (t.removed_at IS NOT NULL OR t.mail_from IS NULL OR t.seen_at < now() - make_interval(days => ${UNFINISHED_DAYS}))
       AND NOT EXISTS (SELECT FROM inbound_delivery a WHERE a.queue_id = t.queue_id AND a.reported_at IS NULL)`;
}

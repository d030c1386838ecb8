import { APP_LOGIN } from '@/mail/agent/installation';
import { uncountSend } from '@/modules/abuse/service';
import type { Database, Tx } from '@/server/db';
import { log } from '@/server/log';
import { isUnanswered, lockMessage } from '../../tracking/locked-message';
import { settleAsAccepted } from '../../tracking/outcomes';
import { recordSubmission } from '../../tracking/submissions';

const BATCH_SIZE = 100;
// The log is read to its end by then, however slow everything was.
const KNOWN_AFTER_MS = 5 * 60_000;

type Uncertain = { id: string; messageId: string; queueId: string | null; queuedAt: Date | null };

/**
 * Settles messages whose answer was lost. One that the log has seen in the queue was accepted. One that it has not seen,
 * though the app submitted through this mail server at that time and the log has been read far beyond, was not: then its
 * Idempotency-Key is free again. What neither holds for stays uncertain. Call it with the log read to its end.
 */
export async function settleUncertain(db: Database, logSource: string, now: Date): Promise<void> {
  for (const message of await findSettled(db, logSource, now)) {
    await db
      .$transaction((tx) => settle(tx, message, now))
      // The others do not wait for it.
      .catch((error) => log.warn({ message_id: message.messageId, error }, 'an uncertain message is not settled yet'));
  }
}

async function settle(tx: Tx, { id, messageId, queueId, queuedAt }: Uncertain, now: Date): Promise<void> {
  if (queueId !== null && queuedAt !== null) {
    await settleAsAccepted(tx, { messageId, queueId, at: queuedAt });
  } else if (isUnanswered(await lockMessage(tx, id))) {
    await recordSubmission(tx, { id, outcome: LOST, at: now });
    await uncountSend(tx, id);
  }
}

const LOST = {
  outcome: 'refused',
  isTemporary: true,
  smtpCode: null,
  enhancedCode: null,
  response: 'The connection was lost, and the mail server did not keep the message.',
  refusedRecipients: [],
} as const satisfies Parameters<typeof recordSubmission>[1]['outcome'];

function findSettled(db: Database, logSource: string, now: Date): Promise<Uncertain[]> {
  const known = new Date(now.getTime() - KNOWN_AFTER_MS);
  return db.$queryRaw`
    SELECT m.id, m.message_id AS "messageId", t.queue_id AS "queueId", t.seen_at AS "queuedAt"
      FROM message m
      LEFT JOIN logged_mail t ON t.message_id = m.message_id AND t.login = ${APP_LOGIN} AND t.mail_from IS NOT NULL
     WHERE m.direction = 'outbound' AND m.status = 'uncertain'
       AND (t.queue_id IS NOT NULL
            OR m.updated_at < ${known}
               AND EXISTS (SELECT FROM mail_cursor c WHERE c.source = ${logSource} AND c.complete_since < m.created_at)
               AND EXISTS (SELECT FROM logged_mail used
                            WHERE used.login = ${APP_LOGIN} AND used.seen_at > m.created_at - interval '10 minutes'
                              AND used.seen_at < m.updated_at + interval '10 minutes'))
     ORDER BY m.created_at LIMIT ${BATCH_SIZE}`;
}

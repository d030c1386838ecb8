import { APP_LOGIN } from '@/mail/agent/installation';
import type { Database, Tx } from '@/server/database/db';
import { log } from '@/server/log';
import { isUnanswered, lockMessage } from '../../tracking/locked-message';
import { recordReport } from '../../tracking/outcomes';
import { recordAlone } from '../../tracking/submissions';

const BATCH_SIZE = 100;
// By then the log has been read far enough, even on a slow machine.
const KNOWN_AFTER_MS = 5 * 60_000;

type Uncertain = { id: string; messageId: string; queueId: string | null; queuedAt: Date | null };

/**
 * Settles messages whose submission reply was lost. A message in the log was accepted. One missing from the log was not, if
 * the app used this mail server then and the log has been read well past that time: its Idempotency-Key becomes free.
 * Others stay uncertain. Read the log to its end first.
 */
export async function settleUncertain(db: Database, logSource: string, now: Date): Promise<void> {
  for (const message of await findSettled(db, logSource, now)) {
    await db
      .$transaction((tx) => settle(tx, message, now))
      .catch((error) =>
        log.warn({ message_id: message.messageId, error }, 'cannot settle uncertain message, retrying'),
      );
  }
}

async function settle(tx: Tx, { id, messageId, queueId, queuedAt }: Uncertain, now: Date): Promise<void> {
  if (queueId !== null && queuedAt !== null) {
    await recordReport(tx, { kind: 'accepted', messageId, queueId, at: queuedAt });
    return;
  }
  const message = await lockMessage(tx, id);
  if (!isUnanswered(message)) return;
  const rows = await tx.messageRecipient.findMany({ where: { messageId: id }, select: { address: true } });
  const recipients = rows.map(({ address }) => address);
  await recordAlone(tx, { message: { ...message, recipients }, outcome: LOST, at: now });
}

const LOST = {
  outcome: 'refused',
  cause: 'not_submitted',
  isTemporary: true,
  smtpCode: null,
  enhancedCode: null,
  response: 'The connection was lost and the mail server did not accept the message.',
  refusedRecipients: [],
} as const satisfies Parameters<typeof recordAlone>[1]['outcome'];

function findSettled(db: Database, logSource: string, now: Date): Promise<Uncertain[]> {
  const known = new Date(now.getTime() - KNOWN_AFTER_MS);
  return db.$queryRaw`
    SELECT m.id, m.message_id AS "messageId", l.queue_id AS "queueId", l.seen_at AS "queuedAt"
      FROM message m
      LEFT JOIN logged_mail l ON l.message_id = m.message_id AND l.login = ${APP_LOGIN} AND l.mail_from IS NOT NULL
     WHERE m.direction = 'outbound' AND m.status = 'uncertain'
       AND (l.queue_id IS NOT NULL
            OR m.updated_at < ${known}
               AND EXISTS (SELECT FROM mail_cursor c WHERE c.source = ${logSource} AND c.complete_since < m.created_at)
               AND EXISTS (SELECT FROM logged_mail used
                            WHERE used.login = ${APP_LOGIN} AND used.seen_at > m.created_at - interval '10 minutes'
                              AND used.seen_at < m.updated_at + interval '10 minutes'))
     ORDER BY m.created_at LIMIT ${BATCH_SIZE}`;
}

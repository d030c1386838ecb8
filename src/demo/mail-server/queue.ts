import { readPages } from '@/mail/agent/queue/queue-page';
import type { AgentHandlers, QueueChange, QueueChangeResult, QueuedMessage, QueueName } from '@/mail/agent/requests';
import { failUndelivered, settleUndelivered } from '@/modules/messages/mail-log/inbound/undelivered';
import { recordQueueChange } from '@/modules/messages/mail-log/outbound/submitted';
import { DELETED } from '@/modules/messages/tracking/failure-reason';
import { recordReport } from '@/modules/messages/tracking/outcomes';
import type { Database } from '@/server/database/db';
import { Prisma } from '@/server/prisma/client';

type Queued = {
  queueId: string;
  queue: QueueName;
  arrivedAt: Date;
  sizeBytes: number;
  sender: string;
  recipients: { address: string; delay_reason?: string }[];
};

/** The queue of a simulated mail server: the demo's undelivered messages. */
export function createQueueHandlers(db: Database): Pick<AgentHandlers, 'queue.list' | 'queue.change' | 'queue.flush'> {
  return {
    'queue.list': async (query) => {
      const [page] = await readPages(linesOf(await findQueued(db)), [query], { lifetimeOf: () => LIFETIME_MS });
      return page ? { ...page, messages: page.messages.map(withTimes) } : { messages: [], counts: {} };
    },
    'queue.change': ({ change, queueId }) => changeQueued(db, queueId, change),
    // No receiving server exists, so a retried message stays deferred.
    'queue.flush': async () => ({}),
  };
}

const RETRY_MS = 20 * 60_000;
const LIFETIME_MS = 5 * 24 * 60 * 60_000;

/** Each is tried every 20 minutes after its arrival, for five days. */
function withTimes(message: QueuedMessage): QueuedMessage {
  const arrivedAt = Date.parse(message.arrivedAt);
  const attempts = Math.ceil((Date.now() - arrivedAt) / RETRY_MS);
  return {
    ...message,
    nextAttemptAt: message.queue === 'deferred' ? new Date(arrivedAt + attempts * RETRY_MS).toISOString() : null,
    expiresAt: message.queue === 'hold' ? null : new Date(arrivedAt + LIFETIME_MS).toISOString(),
  };
}

async function changeQueued(db: Database, queueId: string, change: QueueChange): Promise<QueueChangeResult> {
  const [found] = await findQueued(db, queueId);
  if (!found) return { message: null, isDone: false };
  const { queue, sender, recipients } = found;
  const addresses = recipients.map(({ address }) => address);
  const message = { queue, from: sender, recipients: addresses, recipientCount: recipients.length };
  if (change === 'retry') return { message, isDone: queue !== 'hold' };
  await db.$transaction(async (tx) => {
    const at = new Date();
    if (change === 'hold' && queue !== 'hold') await recordQueueChange(tx, queueId, 'held', at);
    if (change === 'release' && queue === 'hold') await recordQueueChange(tx, queueId, 'released', at);
    if (change !== 'delete') return;
    await recordReport(tx, { kind: 'removed', messageId: null, queueId, at, reason: DELETED });
    await failUndelivered(tx, queueId, at, DELETED);
    await settleUndelivered(tx, [queueId]);
  });
  return { message, isDone: true };
}

/** Mail to an alias is queued for its mailbox. */
async function findQueued(db: Database, queueId?: string): Promise<Queued[]> {
  const only = queueId === undefined ? Prisma.empty : Prisma.sql`AND m.queue_id = ${queueId}`;
  return db.$queryRaw<Queued[]>`
    SELECT m.queue_id AS "queueId", m.created_at AS "arrivedAt", m.size_bytes AS "sizeBytes", m.from_address AS sender,
           CASE WHEN (SELECT e.type FROM message_event e
                       WHERE e.message_id = m.id AND e.type IN ('held', 'released')
                       ORDER BY e.at DESC LIMIT 1) = 'held' THEN 'hold'
                WHEN m.status = 'sent' THEN 'active' ELSE 'deferred' END AS queue,
           (SELECT json_agg(json_strip_nulls(json_build_object('address', coalesce(d.recipient, r.address), 'delay_reason',
                     CASE WHEN r.status = 'deferred' AND r.cause = 'remote_reply'
                          THEN 'host mx.' || split_part(r.address, '@', 2) || '[203.0.113.25] said: ' || r.response
                          WHEN r.status = 'deferred' THEN r.response END)) ORDER BY r.id)
              FROM message_recipient r
              LEFT JOIN LATERAL (
                     SELECT e.recipient FROM message_event e
                      WHERE e.message_id = m.id AND m.direction = 'inbound' AND e.type = 'deferred'
                      ORDER BY e.at DESC LIMIT 1) AS d ON true
             WHERE r.message_id = m.id AND r.status IN ('sent', 'deferred')) AS recipients
      FROM message m
     WHERE m.status IN ('sent', 'deferred') AND m.queue_id IS NOT NULL ${only}`;
}

/** In the format of `postqueue -j`. */
async function* linesOf(queued: Queued[]): AsyncGenerator<string> {
  for (const { queueId, queue, arrivedAt, sizeBytes, sender, recipients } of queued) {
    yield JSON.stringify({
      queue_name: queue,
      queue_id: queueId,
      arrival_time: Math.floor(arrivedAt.getTime() / 1000),
      message_size: sizeBytes,
      sender,
      recipients,
    });
  }
}

import type { QueueChange, QueueChanged, QueuedMessage as Queued, QueueName } from '@/mail/agent-requests';
import { askAgent } from '@/modules/mail-server/service';
import type { RecordAudit } from '@/server/audit';
import type { ActorContext } from '@/server/context';
import type { Tx } from '@/server/db';
import { AppError, notFound } from '@/server/errors';
import { type Page, paginateFrom } from '@/server/pagination';
import type { ByQueueId, ListQueue, QueuedMessage, QueueSummary } from './schema';

type MutationContext = ActorContext & { audit: RecordAudit };

// A queue of hundreds of thousands is read in seconds, but for a slow disk.
const READ_WITHIN_MS = 50_000;

/** @throws what askAgent throws; INVALID_PAGINATION */
export async function listQueue(ctx: ActorContext, input: ListQueue): Promise<Page<QueuedMessage>> {
  const { queue, from, to, order, limit } = input;
  let known = new Map<string, KnownMessage>();
  return paginateFrom('queue', input, {
    fetch: async (position) => {
      const after = position && { arrivedAt: new Date(position.value).toISOString(), queueId: position.id };
      const query = { queue, sender: from, recipient: to, order, limit, ...(after && { after }) };
      const { messages } = await askAgent(ctx.database, 'queue.list', query, { withinMs: READ_WITHIN_MS });
      known = await findMessages(
        ctx.db,
        messages.map(({ queueId }) => queueId),
      );
      return messages;
    },
    positionOf: ({ arrivedAt, queueId }) => ({ value: new Date(arrivedAt), id: queueId }),
    present: (message) => present(message, known.get(message.queueId)),
  });
}

/** @throws what askAgent throws */
export async function summarizeQueue(ctx: ActorContext): Promise<QueueSummary> {
  const query = { order: 'asc', limit: 1 } as const;
  const { counts, messages } = await askAgent(ctx.database, 'queue.list', query, { withinMs: READ_WITHIN_MS });
  const all = { deferred: 0, active: 0, incoming: 0, hold: 0, maildrop: 0, ...counts };
  return {
    total: Object.values(all).reduce((sum, count) => sum + count, 0),
    counts: all,
    oldest_arrived_at: messages[0]?.arrivedAt ?? null,
  };
}

/** @throws what askAgent throws */
export async function flushQueue(ctx: MutationContext): Promise<{ message: string }> {
  await asking(ctx, { resource: 'queue' }, () => askAgent(ctx.database, 'queue.flush', {}));
  await ctx.audit({ resource: 'queue' });
  return { message: 'All deferred mail is tried now. What is on hold stays on hold.' };
}

/**
 * The message's next state is Postfix's: what is released or tried again may be delivered a moment later.
 * @throws NOT_FOUND where it is not in the queue; CONFLICT for trying what is on hold; what askAgent throws
 */
export async function changeQueued(
  ctx: MutationContext,
  change: QueueChange,
  { queue_id: queueId }: ByQueueId,
): Promise<{ message: string }> {
  const stored = (await findMessages(ctx.db, [queueId])).get(queueId);
  const about = { resource: `queue:${queueId}`, domainId: stored?.domainId ?? null };
  const { message, isDone } = await asking(ctx, about, () =>
    askAgent(ctx.database, 'queue.change', { change, queueId }),
  );
  if (!message || !isDone) {
    const refusal = message
      ? new AppError('CONFLICT', 'This message is on hold: it is not tried until it is released. Release it.')
      : notFound('message in the queue; it may have been delivered, returned or deleted');
    await ctx.audit({ ...about, outcome: 'denied', details: { code: refusal.apiCode, message: refusal.message } });
    throw refusal;
  }
  const before = wireOf(message);
  const next = QUEUE_AFTER[change];
  await ctx.audit({ ...about, before, after: change === 'delete' ? null : { ...before, queue: next ?? before.queue } });
  return { message: `The message ${queueId} ${whose(message)} ${DONE[change]}.` };
}

const QUEUE_AFTER: Partial<Record<QueueChange, QueueName>> = { hold: 'hold', release: 'deferred' };

const DONE: Record<QueueChange, string> = {
  hold: 'is on hold',
  release: 'is released, and tried now',
  retry: 'is tried now',
  delete: 'is deleted from the queue',
};

/** What was asked may have been done though no answer came: the audit log tells of the attempt. */
async function asking<Answer>(
  { audit }: MutationContext,
  about: { resource: string; domainId?: string | null },
  ask: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AppError) {
      await audit({ ...about, outcome: 'error', details: { code: error.apiCode, message: error.message } });
    }
    throw error;
  }
}

type KnownMessage = { id: string; messageId: string; subject: string; domainId: string | null };

/** By queue id. Where an outbound and an inbound one have the same, the outbound one. */
async function findMessages(db: Tx, queueIds: string[]): Promise<Map<string, KnownMessage>> {
  const rows = await db.message.findMany({
    where: { queueId: { in: queueIds } },
    orderBy: [{ direction: 'desc' }, { createdAt: 'asc' }],
    select: { id: true, messageId: true, subject: true, domainId: true, queueId: true },
  });
  // The last of each id counts.
  return new Map(rows.map(({ queueId, ...message }) => [queueId ?? '', message]));
}

type Found = NonNullable<QueueChanged['message']>;

function whose({ from, recipients: [first], recipientCount }: Found): string {
  const sender = from === '' ? 'without a sender' : `from ${from}`;
  if (!first) return sender;
  return `${sender} to ${first}${recipientCount > 1 ? ` and ${recipientCount - 1} more` : ''}`;
}

function wireOf({ queue, from, recipients, recipientCount }: Found) {
  return { queue, from, recipients, recipient_count: recipientCount };
}

function present(queued: Queued, known: KnownMessage | undefined): QueuedMessage {
  return {
    queue_id: queued.queueId,
    queue: queued.queue,
    from: queued.from,
    recipients: queued.recipients,
    recipient_count: queued.recipientCount,
    size: queued.sizeBytes,
    arrived_at: queued.arrivedAt,
    message: known ? { id: known.id, message_id: known.messageId, subject: known.subject } : null,
  };
}

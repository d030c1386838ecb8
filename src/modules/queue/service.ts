import type {
  QueueCause,
  QueueChange,
  QueueChangeResult,
  QueuedMessage as Queued,
  QueueName,
  QueuePage,
} from '@/mail/agent/requests';
import { askAgent, auditFailure } from '@/modules/mail-server/service';
import { findManagedAddresses, type ManagedAddress } from '@/modules/mailboxes/service';
import { accessibleDomainIds } from '@/server/access/authorize';
import type { Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import { type Page, paginateFrom } from '@/server/pagination';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import { type ListQueue, queueList } from './lists';
import type { ByQueueId, QueuedMessage, QueueSummary } from './schema';

// Reading hundreds of thousands of messages takes seconds, or longer on a slow disk.
const READ_WITHIN_MS = 50_000;

/** @throws the errors of askAgent; INVALID_PAGINATION */
export async function listQueue(ctx: ActorContext, input: ListQueue): Promise<Page<QueuedMessage>> {
  const { queue, from, to, order, limit } = input;
  let known = new Map<string, KnownMessage>();
  let managed = new Map<string, ManagedAddress>();
  return paginateFrom(queueList, input, {
    fetch: async (position) => {
      const after = position && { arrivedAt: new Date(position.value).toISOString(), queueId: position.id };
      const query = { queue, sender: from, recipient: to, order, limit, ...(after && { after }) };
      const { messages } = await askAgent(ctx.db, 'queue.list', query, { withinMs: READ_WITHIN_MS });
      const queueIds = messages.map(({ queueId }) => queueId);
      const addresses = messages.flatMap(({ from: sender, recipients }) => [
        sender,
        ...recipients.map(({ address }) => address),
      ]);
      [known, managed] = await Promise.all([findMessages(ctx.db, queueIds), findManagedAddresses(ctx, addresses)]);
      return { rows: messages };
    },
    positionOf: ({ arrivedAt, queueId }: Queued) => ({ value: new Date(arrivedAt), id: queueId }),
    present: (message) => present(message, known.get(message.queueId), managed),
  });
}

/** @throws the errors of askAgent */
export async function summarizeQueue(ctx: ActorContext): Promise<QueueSummary> {
  const suspended = await findSuspendedSenders(ctx);
  const {
    counts,
    causes = [],
    messages,
  } = await readSummary(
    ctx,
    suspended.map(({ email }) => email),
  );
  const addresses = causes.flatMap(({ recipient }) => recipient ?? []);
  const managed = addresses.length > 0 ? await findManagedAddresses(ctx, addresses) : new Map<string, ManagedAddress>();
  const waiting = (cause: QueueCause) => ({
    count: cause.count,
    oldest_arrived_at: cause.oldestAt,
    first_expires_at: cause.expiresAt ?? null,
  });
  return {
    total: totalOf(counts),
    counts: { ...NONE, ...counts },
    oldest_arrived_at: messages[0]?.arrivedAt ?? null,
    causes: causes
      .filter(({ sender }) => sender === undefined)
      .map((cause) => ({
        to: cause.recipient,
        reason: cause.reason,
        ...waiting(cause),
        mailbox_id: managed.get(cause.recipient ?? '')?.mailboxId ?? null,
      })),
    suspended_senders: causes
      .flatMap((cause) => {
        const mailbox = suspended.find(({ email }) => email === cause.sender);
        return mailbox ? [{ from: mailbox.email, mailbox_id: mailbox.mailboxId, ...waiting(cause) }] : [];
      })
      .slice(0, MAX_SENDERS),
  };
}

/** @throws the errors of askAgent */
export async function countQueue(ctx: ActorContext): Promise<number> {
  return totalOf((await readSummary(ctx)).counts);
}

const NONE = { deferred: 0, active: 0, incoming: 0, hold: 0, maildrop: 0 };
const MAX_SENDERS = 20;

function readSummary({ db }: ActorContext, suspended: string[] = []): Promise<QueuePage> {
  const query = { order: 'asc', limit: 1, isSummary: true, suspended } as const;
  return askAgent(db, 'queue.list', query, { withinMs: READ_WITHIN_MS });
}

function totalOf(counts: QueuePage['counts']): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** The mailboxes that were suspended last, in the caller's domain scope, with messages that have no result yet. */
function findSuspendedSenders({ actor, db }: ActorContext): Promise<{ email: string; mailboxId: string }[]> {
  const domainIds = accessibleDomainIds(actor);
  return db.$queryRaw`/* prepared */
    SELECT s.email, s.id AS "mailboxId"
      FROM (SELECT b.id, b.local_part || '@' || d.name AS email
              FROM mailbox b JOIN domain d ON d.id = b.domain_id
             WHERE b.suspended_at IS NOT NULL AND (${domainIds}::uuid[] IS NULL OR d.id = ANY (${domainIds}::uuid[]))
             ORDER BY b.suspended_at DESC LIMIT 100) AS s
     WHERE EXISTS (SELECT FROM message m
                    WHERE lower(m.from_address) = s.email AND m.status IN ('sent', 'deferred') AND m.queue_id IS NOT NULL)`;
}

/** @throws the errors of askAgent */
export async function flushQueue(ctx: MutationContext): Promise<{ message: string }> {
  await auditFailure(ctx, { resource: 'queue' }, () => askAgent(ctx.db, 'queue.flush', {}));
  await ctx.auditAlone({ resource: 'queue' });
  return { message: 'Retrying all deferred messages. Messages on hold stay on hold.' };
}

/**
 * Postfix decides the next state: a released or retried message may be delivered a moment later.
 * @throws NOT_FOUND if the message isn't in the queue; CONFLICT for retrying one on hold; the errors of askAgent
 */
export async function changeQueued(
  ctx: MutationContext,
  change: QueueChange,
  { queue_id: queueId }: ByQueueId,
): Promise<{ message: string }> {
  const stored = (await findMessages(ctx.db, [queueId])).get(queueId);
  const target = { resource: `queue:${queueId}`, domainId: stored?.domainId ?? null };
  const { message, isDone } = await auditFailure(ctx, target, () =>
    askAgent(ctx.db, 'queue.change', { change, queueId }),
  );
  if (!message || !isDone) {
    const rejection = message
      ? new AppError('CONFLICT', 'This message is on hold. Release it to retry it.')
      : new AppError('NOT_FOUND', 'The message is not in the queue. It may have been delivered, returned or deleted.');
    const details = { code: rejection.apiCode, message: rejection.message };
    await ctx.auditAlone({ ...target, outcome: 'denied', details });
    throw rejection;
  }
  const before = snapshotOf(message);
  const next = QUEUE_AFTER[change];
  await ctx.auditAlone({
    ...target,
    before,
    after: change === 'delete' ? null : { ...before, queue: next ?? before.queue },
  });
  return { message: DONE[change](`${queueId} ${describe(message)}`) };
}

const QUEUE_AFTER: Partial<Record<QueueChange, QueueName>> = { hold: 'hold', release: 'deferred' };

const DONE: Record<QueueChange, (message: string) => string> = {
  hold: (message) => `Message ${message} put on hold.`,
  release: (message) => `Message ${message} released. Retrying now.`,
  retry: (message) => `Retrying message ${message} now.`,
  delete: (message) => `Message ${message} deleted from the queue.`,
};

type KnownMessage = { id: string; messageId: string; subject: string; domainId: string | null };

/** Messages by queue id. An outbound message takes precedence over an inbound one with the same id. */
async function findMessages(db: Tx, queueIds: string[]): Promise<Map<string, KnownMessage>> {
  const rows = await db.message.findMany({
    where: { queueId: { in: queueIds } },
    orderBy: [{ direction: 'desc' }, { createdAt: 'asc' }],
    select: { id: true, messageId: true, subject: true, domainId: true, queueId: true },
  });
  // Later rows replace earlier ones: the newest outbound message is last.
  return new Map(rows.map(({ queueId, ...message }) => [queueId ?? '', message]));
}

type FoundMessage = NonNullable<QueueChangeResult['message']>;

function describe({ from, recipients: [first], recipientCount }: FoundMessage): string {
  const sender = from === '' ? 'without a sender' : `from ${from}`;
  if (!first) return sender;
  return `${sender} to ${first}${recipientCount > 1 ? ` and ${recipientCount - 1} more` : ''}`;
}

function snapshotOf({ queue, from, recipients, recipientCount }: FoundMessage) {
  return { queue, from, recipients, recipient_count: recipientCount };
}

function present(queued: Queued, known: KnownMessage | undefined, managed: Map<string, ManagedAddress>): QueuedMessage {
  return {
    queue_id: queued.queueId,
    queue: queued.queue,
    from: queued.from,
    from_suspended: managed.get(queued.from)?.isSuspended ?? false,
    recipients: queued.recipients.map(({ address, reason }) => ({
      address,
      reason,
      mailbox_id: managed.get(address)?.mailboxId ?? null,
    })),
    recipient_count: queued.recipientCount,
    size: queued.sizeBytes,
    arrived_at: queued.arrivedAt,
    // An agent of the version before reports neither.
    next_attempt_at: queued.nextAttemptAt ?? null,
    expires_at: queued.expiresAt ?? null,
    message: known ? { id: known.id, message_id: known.messageId, subject: known.subject } : null,
  };
}

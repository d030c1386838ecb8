import type { QueuedMessage, QueueName, QueuePage, QueueQuery } from '../requests';

/** One line of `postqueue -j`. */
type QueueFile = {
  queue_name: QueueName;
  queue_id: string;
  /** Seconds since 1970. */
  arrival_time: number;
  message_size: number;
  sender: string;
  recipients: { address: string; delay_reason?: string }[];
};

const RECIPIENTS_SHOWN = 20;
const REASON_CHARS = 500;
const NULL_SENDER = 'MAILER-DAEMON';

/**
 * Collects the page of each query from one read of the queue, line by line. Memory is bounded by the pages, whatever the
 * length of the queue.
 */
export async function readPages(lines: AsyncIterable<string>, queries: QueueQuery[]): Promise<QueuePage[]> {
  const counts: QueuePage['counts'] = {};
  const pages = queries.map((query) => ({ query, messages: [] as QueuedMessage[] }));
  for await (const line of lines) {
    if (line === '') continue;
    const file: QueueFile = JSON.parse(line);
    counts[file.queue_name] = (counts[file.queue_name] ?? 0) + 1;
    for (const { query, messages } of pages) {
      if (matchesQuery(file, query)) insert(messages, file, query);
    }
  }
  return pages.map(({ messages }) => ({ messages, counts }));
}

/** The queue ids of the deferred messages that have a recipient in one of the domains. */
export async function readDeferred(lines: AsyncIterable<string>, domains: ReadonlySet<string>): Promise<string[]> {
  const queueIds: string[] = [];
  for await (const line of lines) {
    if (line === '') continue;
    const { queue_name: queue, queue_id: queueId, recipients }: QueueFile = JSON.parse(line);
    const isLocal = recipients.some(({ address }) => domains.has(domainOf(address).toLowerCase()));
    if (queue === 'deferred' && isLocal) queueIds.push(queueId);
  }
  return queueIds;
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

export function senderOf(address: string): string {
  return address === NULL_SENDER ? '' : address;
}

export function firstRecipients<Recipient>(recipients: Recipient[]): Recipient[] {
  return recipients.slice(0, RECIPIENTS_SHOWN);
}

function matchesQuery(file: QueueFile, { queue, sender, recipient, after, order }: QueueQuery): boolean {
  if (queue && file.queue_name !== queue) return false;
  if (sender && !matchesAddress(senderOf(file.sender), sender)) return false;
  if (recipient && !file.recipients.some(({ address }) => matchesAddress(address, recipient))) return false;
  return !after || direction(order) * compare(positionOf(file), after) > 0;
}

function matchesAddress(address: string, wanted: string): boolean {
  if (wanted === '<>') return address === '';
  const [found, sought] = [address.toLowerCase(), wanted.toLowerCase()];
  return sought.startsWith('@') ? found.endsWith(sought) : found === sought;
}

/** A message that moved to another queue during the read is listed twice; the last one wins. */
function insert(messages: QueuedMessage[], file: QueueFile, { limit, order }: QueueQuery): void {
  const position = positionOf(file);
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const isBefore = direction(order) * compare(messages[middle] as QueuedMessage, position) < 0;
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  if (low > limit) return;
  const isSame = messages[low]?.queueId === position.queueId;
  messages.splice(low, isSame ? 1 : 0, messageOf(file));
  messages.length = Math.min(messages.length, limit + 1);
}

type Position = { arrivedAt: string; queueId: string };

function positionOf({ arrival_time: seconds, queue_id: queueId }: QueueFile): Position {
  return { arrivedAt: new Date(seconds * 1000).toISOString(), queueId };
}

function compare(one: Position, other: Position): number {
  if (one.arrivedAt !== other.arrivedAt) return one.arrivedAt < other.arrivedAt ? -1 : 1;
  if (one.queueId === other.queueId) return 0;
  return one.queueId < other.queueId ? -1 : 1;
}

function direction(order: QueueQuery['order']): 1 | -1 {
  return order === 'asc' ? 1 : -1;
}

function messageOf(file: QueueFile): QueuedMessage {
  return {
    ...positionOf(file),
    queue: file.queue_name,
    sizeBytes: file.message_size,
    from: senderOf(file.sender),
    recipients: firstRecipients(file.recipients).map(({ address, delay_reason: reason }) => ({
      address,
      reason: reason === undefined ? null : reason.slice(0, REASON_CHARS).toWellFormed(),
    })),
    recipientCount: file.recipients.length,
    // Not in this listing.
    nextAttemptAt: null,
    expiresAt: null,
  };
}

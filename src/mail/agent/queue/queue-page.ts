import { isBounceAddress } from '@/lib/mail/report-addresses';
import type { QueuedMessage, QueueName, QueuePage, QueueQuery } from '../requests';
import { collectCauses } from './queue-causes';

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

/** Finds the authors of messages by the bounce addresses that are their envelope senders. Unknown ones are left out. */
export type FindAuthors = (bounceAddresses: string[]) => Promise<ReadonlyMap<string, string>>;

/** How many messages are looked up at once, to tell whether they are of the author that is searched for. */
const LOOKED_UP_AT_ONCE = 500;

export type ReadOptions = {
  findAuthors?: FindAuthors;
  /** How long a message of a sender is kept in the queue; null if that isn't known. */
  lifetimeOf?: (sender: string) => number | null;
};

type Page = { query: QueueQuery; messages: QueuedMessage[] };
type Undecided = { message: Pick<QueuedMessage, 'from'>; settle: (author: string) => void };

/**
 * Collects the page of each query from one read of the queue, line by line. Memory is bounded by the pages, whatever the
 * length of the queue. A message with a bounce address is from its author.
 */
export async function readPages(
  lines: AsyncIterable<string>,
  queries: QueueQuery[],
  { findAuthors = async () => new Map(), lifetimeOf = () => null }: ReadOptions = {},
): Promise<QueuePage[]> {
  const counts: QueuePage['counts'] = {};
  const pages: Page[] = queries.map((query) => ({ query, messages: [] }));
  const undecided: Undecided[] = [];
  const decide = async () => {
    const found = undecided.splice(0);
    const authors = await authorsOf(found, findAuthors);
    for (const { message, settle } of found) settle(authors.get(message.from) ?? message.from);
  };
  const suspended = new Set(queries.flatMap((query) => query.suspended ?? []));
  const isSummary = queries.some((query) => query.isSummary);
  const causes = isSummary ? collectCauses({ now: new Date(), suspended, lifetimeOf }) : null;
  for await (const line of lines) {
    if (line === '') continue;
    const file: QueueFile = JSON.parse(line);
    const from = senderOf(file.sender);
    if (causes && suspended.size > 0 && isBounceAddress(from)) {
      undecided.push({ message: { from }, settle: (author) => causes.add(file, author) });
    } else causes?.add(file, from);
    counts[file.queue_name] = (counts[file.queue_name] ?? 0) + 1;
    for (const page of pages) {
      if (!matchesQuery(file, page.query)) continue;
      const message = messageOf(file);
      if (matchesAddress(message.from, page.query.sender)) insert(page, message);
      else if (isBounceAddress(message.from)) {
        const settle = (author: string) => {
          if (matchesAddress(author, page.query.sender)) insert(page, message);
        };
        undecided.push({ message, settle });
      }
    }
    if (undecided.length >= LOOKED_UP_AT_ONCE) await decide();
  }
  await decide();
  const shown = pages.flatMap(({ messages }) => messages.map((message) => ({ message })));
  const authors = await authorsOf(shown, findAuthors);
  for (const { message } of shown) message.from = authors.get(message.from) ?? message.from;
  return pages.map(({ query, messages }) => ({
    messages,
    counts,
    ...(query.isSummary && causes && { causes: causes.mostFrequent() }),
  }));
}

async function authorsOf(of: Pick<Undecided, 'message'>[], findAuthors: FindAuthors) {
  const senders = of.map(({ message }) => message.from).filter(isBounceAddress);
  return senders.length > 0 ? findAuthors(senders) : new Map<string, string>();
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

/** Whether a message is what a query asks for, apart from its sender. */
function matchesQuery(file: QueueFile, { queue, recipient, after, order }: QueueQuery): boolean {
  if (queue && file.queue_name !== queue) return false;
  if (recipient && !file.recipients.some(({ address }) => matchesAddress(address, recipient))) return false;
  return !after || direction(order) * compare(positionOf(file), after) > 0;
}

function matchesAddress(address: string, wanted: string | undefined): boolean {
  if (wanted === undefined) return true;
  if (wanted === '<>') return address === '';
  const [found, sought] = [address.toLowerCase(), wanted.toLowerCase()];
  return sought.startsWith('@') ? found.endsWith(sought) : found === sought;
}

/** A message that moved to another queue during the read is listed twice; the last one wins. */
function insert({ query: { limit, order }, messages }: Page, message: QueuedMessage): void {
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const isBefore = direction(order) * compare(messages[middle] as QueuedMessage, message) < 0;
    if (isBefore) low = middle + 1;
    else high = middle;
  }
  if (low > limit) return;
  const isSame = messages[low]?.queueId === message.queueId;
  messages.splice(low, isSame ? 1 : 0, message);
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

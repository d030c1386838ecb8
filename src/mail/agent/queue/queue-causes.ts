import { explainDeferral } from '@/lib/mail/deferral-reasons';
import type { QueueCause, QueueName } from '../requests';

type File = {
  queue_name: QueueName;
  arrival_time: number;
  recipients: { address: string; delay_reason?: string }[];
};

export type CauseOptions = {
  now: Date;
  suspended: ReadonlySet<string>;
  /** How long a message of a sender is kept in the queue; null if that isn't known. */
  lifetimeOf: (sender: string) => number | null;
};

/** By then, Postfix has tried a message that it can try. */
const UNTRIED_AFTER_S = 15 * 60;
const MAX_CAUSES = 20;
const MAX_COUNTED = 5_000;
const REASON_CHARS = 500;
/** The reply is about the mailbox of one recipient. */
const ABOUT_MAILBOX = /\b4\.2\.\d/;

/**
 * Counts why the messages of a queue wait, file by file, each for one cause: that its sender is suspended, or what the first
 * recipient's server says. Memory is bounded, whatever the length of the queue.
 */
export function collectCauses({ now, suspended, lifetimeOf }: CauseOptions) {
  const causes = new Map<string, QueueCause>();
  const untriedUntil = now.getTime() / 1_000 - UNTRIED_AFTER_S;
  return {
    /** @param author the sender, or the author if that is a bounce address */
    add(file: File, author: string): void {
      if (file.queue_name === 'hold') return;
      const sender = author.toLowerCase();
      const found: Found | null = suspended.has(sender)
        ? { key: `from ${sender}`, sender, recipient: null, reason: null }
        : causeOf(file, untriedUntil);
      if (!found) return;
      const { key, ...cause } = found;
      const arrivedAt = new Date(file.arrival_time * 1_000).toISOString();
      const lifetimeMs = lifetimeOf(author);
      const expiresAt = lifetimeMs === null ? null : new Date(Date.parse(arrivedAt) + lifetimeMs).toISOString();
      const known = causes.get(key);
      if (known) {
        known.count += 1;
        if (arrivedAt < known.oldestAt) known.oldestAt = arrivedAt;
        if (expiresAt !== null && (!known.expiresAt || expiresAt < known.expiresAt)) known.expiresAt = expiresAt;
        if (known.recipient !== cause.recipient && cause.recipient) known.recipient = `@${domainOf(cause.recipient)}`;
      } else if (causes.size < MAX_COUNTED) {
        causes.set(key, { ...cause, count: 1, oldestAt: arrivedAt, expiresAt });
      }
    },
    /** The most frequent causes, and every suspended sender. */
    mostFrequent(): QueueCause[] {
      const sorted = [...causes.values()].sort((one, other) => other.count - one.count);
      return [
        ...sorted.filter(({ sender }) => sender !== undefined),
        ...sorted.filter(({ sender }) => sender === undefined).slice(0, MAX_CAUSES),
      ];
    },
  };
}

type Found = Pick<QueueCause, 'sender' | 'recipient' | 'reason'> & { key: string };

function causeOf({ queue_name: queue, arrival_time: arrivedAt, recipients }: File, untriedUntil: number): Found | null {
  const failed = recipients.find(({ delay_reason: reason }) => reason !== undefined);
  if (!failed?.delay_reason) {
    const isUntried = queue !== 'deferred' && arrivedAt < untriedUntil;
    return isUntried ? { key: '', recipient: null, reason: null } : null;
  }
  const reason = failed.delay_reason.slice(0, REASON_CHARS).toWellFormed();
  const recipient = failed.address.toLowerCase();
  const whose = ABOUT_MAILBOX.test(reason) ? recipient : domainOf(recipient);
  return { key: `${whose} ${explainDeferral(reason, recipient)?.brief}`, recipient, reason };
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1);
}

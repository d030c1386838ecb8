import { explainDeferral } from '@/lib/mail/deferral-reasons';
import type { QueueCause, QueueName } from '../requests';

type File = {
  queue_name: QueueName;
  arrival_time: number;
  recipients: { address: string; delay_reason?: string }[];
};

/** By then, Postfix has tried a message that it can try. */
const UNTRIED_AFTER_S = 15 * 60;
const MAX_CAUSES = 20;
const MAX_COUNTED = 5_000;
const REASON_CHARS = 500;
/** The reply is about the mailbox of one recipient. */
const ABOUT_MAILBOX = /\b4\.2\.\d/;

/** Counts why the messages of a queue wait, file by file. Memory is bounded, whatever the length of the queue. */
export function collectCauses(now: Date) {
  const causes = new Map<string, QueueCause>();
  const untriedUntil = now.getTime() / 1_000 - UNTRIED_AFTER_S;
  return {
    add(file: File): void {
      const found = causeOf(file, untriedUntil);
      if (!found) return;
      const arrivedAt = new Date(file.arrival_time * 1_000).toISOString();
      const known = causes.get(found.key);
      if (known) {
        known.count += 1;
        if (arrivedAt < known.oldestAt) known.oldestAt = arrivedAt;
        if (known.recipient !== found.recipient && found.recipient) known.recipient = `@${domainOf(found.recipient)}`;
      } else if (causes.size < MAX_COUNTED) {
        causes.set(found.key, { recipient: found.recipient, reason: found.reason, count: 1, oldestAt: arrivedAt });
      }
    },
    mostFrequent(): QueueCause[] {
      return [...causes.values()].sort((one, other) => other.count - one.count).slice(0, MAX_CAUSES);
    },
  };
}

type Found = { key: string; recipient: string | null; reason: string | null };

function causeOf({ queue_name: queue, arrival_time: arrivedAt, recipients }: File, untriedUntil: number): Found | null {
  if (queue === 'hold') return null;
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

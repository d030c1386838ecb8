import type { Status } from '@/components/marks/status-mark';
import { explainDeferral, withoutDomain } from '@/lib/mail/deferral-reasons';
import type { Queue, QueuedMessage } from '../schema';

export const QUEUE_LABELS: Record<Queue, [Status, string]> = {
  deferred: ['deferred', 'Deferred'],
  active: ['submitting', 'Active'],
  incoming: ['received', 'Incoming'],
  hold: ['held', 'On hold'],
  maildrop: ['pending', 'Maildrop'],
};

const DAY_MS = 86_400_000;

/** Whether the message is given up within a day. On hold, it isn't. */
export function expiresSoon({ queue, expires_at: end }: QueuedMessage): boolean {
  return queue !== 'hold' && end !== null && Date.parse(end) < Date.now() + DAY_MS;
}

export function senderLabel(from: string): string {
  return from === '' ? 'No sender' : from;
}

/** The same in a line with other facts. */
export function senderText(from: string): string {
  return from === '' ? 'No sender' : `from ${from}`;
}

/** Why the message is still queued, and who said so if it isn't the recipient's domain, in one line. */
export function waitReason({ queue, recipients }: QueuedMessage): string {
  const failed = recipients.find(({ reason }) => reason !== null);
  const explanation = failed && explainDeferral(failed.reason, failed.address);
  if (!explanation) return 'Not tried yet';
  const brief = failed === recipients[0] ? withoutDomain(explanation.brief, failed.address) : explanation.brief;
  return queue === 'active' ? `Retrying. ${brief}` : brief;
}

/** The reason of messages to an address, or to `@domain`, which is beside it. */
export function reasonFor(reason: string, address: string): string {
  return withoutDomain(explainDeferral(reason, address)?.brief ?? '', address);
}

const UNTRIED_AFTER_MS = 15 * 60_000;

/** Whether the mail server should have tried the message by now. */
export function isOverdue({ queue, recipients, arrived_at: at }: QueuedMessage): boolean {
  const isNew = queue === 'active' || queue === 'incoming';
  return isNew && recipients.every(({ reason }) => reason === null) && Date.parse(at) < Date.now() - UNTRIED_AFTER_MS;
}

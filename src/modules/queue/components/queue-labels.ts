import type { Status } from '@/components/marks/status-mark';
import { explainDeferral } from '@/lib/mail/deferral-reasons';
import type { Queue, QueuedMessage } from '../schema';

export const QUEUE_LABELS: Record<Queue, [Status, string]> = {
  deferred: ['deferred', 'Deferred'],
  active: ['submitting', 'Active'],
  incoming: ['received', 'Incoming'],
  hold: ['off', 'On hold'],
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

/** Why the message is still queued, and who said so, in one line. */
export function waitReason({ queue, recipients }: QueuedMessage): string {
  if (queue === 'hold') return 'On hold until released';
  const failed = recipients.find(({ reason }) => reason !== null);
  const explanation = failed && explainDeferral(failed.reason, failed.address);
  if (!explanation) return 'Not tried yet';
  if (queue === 'active') return `Retrying. ${explanation.brief}`;
  return explanation.brief;
}

import type { Status } from '@/components/marks/status-mark';
import { explainDeferral } from '@/lib/mail/deferral-reasons';
import type { Queue, QueuedMessage } from '../schema';

export const QUEUE_LABELS: Record<Queue, [Status, string]> = {
  deferred: ['deferred', 'Deferred'],
  active: ['submitting', 'Active'],
  incoming: ['sent', 'Incoming'],
  hold: ['off', 'On hold'],
  maildrop: ['pending', 'Maildrop'],
};

export function senderLabel(from: string): string {
  return from === '' ? 'No sender' : from;
}

/** Why the message is still queued, in one line. */
export function waitReason({ queue, recipients }: QueuedMessage): string {
  if (queue === 'hold') return 'On hold until released';
  const failed = recipients.find(({ reason }) => reason !== null);
  const explanation = failed && explainDeferral(failed.reason, failed.address);
  if (!explanation) return 'Not tried yet';
  if (queue === 'active') return `Retrying. Last attempt: ${explanation.title}`;
  return withoutHost(explanation.title, recipients[0]?.address ?? '');
}

/** The host is left out if the row's address has its domain. */
function withoutHost(title: string, address: string): string {
  const [host = '', verb = '', ...rest] = title.split(' ');
  const domain = address.slice(address.lastIndexOf('@') + 1);
  if (host !== domain && !host.endsWith(`.${domain}`)) return title;
  return [`${verb[0]?.toUpperCase()}${verb.slice(1)}`, ...rest].join(' ');
}

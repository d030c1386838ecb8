import type { Status } from '@/components/marks/status-mark';
import { explainDeferral } from '@/lib/deferral-reasons';
import type { Queue, QueuedMessage } from '../schema';

export const QUEUE_WORDS: Record<Queue, [Status, string]> = {
  deferred: ['deferred', 'Deferred'],
  active: ['submitting', 'Being tried'],
  incoming: ['sent', 'Just came'],
  hold: ['off', 'On hold'],
  maildrop: ['pending', 'Dropped off'],
};

export function senderWords(from: string): string {
  return from === '' ? 'No sender' : from;
}

/** Why it waits, in a line. */
export function whyItWaits({ queue, recipients }: QueuedMessage): string {
  if (queue === 'hold') return 'Until it is released';
  const failed = recipients.find(({ reason }) => reason !== null);
  const meaning = failed && explainDeferral(failed.reason, failed.address);
  if (meaning) return queue === 'active' ? `Tried again; before: ${meaning.title}` : meaning.title;
  return 'Not tried yet';
}

import { formatCount, formatPlural } from '../format';

/** `text`: what else is unusual about a spike. */
type Sent = { kind: string; count: number; expected: number; text?: string };

/** How much the subject of an alert sent, beside the subject. A spike goes on, and its alert has the count of its start. */
export function sentText({ kind, count, expected, text }: Sent): string {
  const sent = `${formatPlural(count, 'message')} in an hour`;
  if (kind === 'volume_spike') {
    return `${sent} when raised (usually ${expected.toFixed(1)}).${text ? ` ${text}` : ''}`;
  }
  // The message that would have been over the limit was rejected.
  return count === expected ? `Tried to send more than ${sent}.` : `${sent} (limit ${formatCount(expected)}).`;
}

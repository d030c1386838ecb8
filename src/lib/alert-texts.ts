import { formatCount, formatPlural } from './format';

type Sent = { kind: string; count: number; expected: number };

/** How much the subject of an alert sent, beside the subject. A spike goes on, and its alert has the count of its start. */
export function sentText({ kind, count, expected }: Sent): string {
  const sent = `${formatPlural(count, 'message')} in an hour`;
  return kind === 'volume_spike'
    ? `${sent} when raised (usually ${expected.toFixed(1)})`
    : `${sent} (limit ${formatCount(expected)})`;
}

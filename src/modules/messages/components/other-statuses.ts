import { formatCount } from '@/lib/format';
import type { MessageTotals } from '../schema';

/** Few messages have these, so that the sum says how many. */
const OTHER_STATUSES = ['submitting', 'scheduled', 'cancelled'] as const;

/** A text such as "with 4 others", which makes the sum that of the counts beside it. A tile has no room for the names of several. */
export function othersOf(counts: MessageTotals['counts']): string | undefined {
  const others = OTHER_STATUSES.filter((status) => counts[status] > 0);
  const count = others.reduce((sum, status) => sum + counts[status], 0);
  if (count === 0) return undefined;
  return `with ${formatCount(count)} ${others.length === 1 ? others[0] : 'others'}`;
}

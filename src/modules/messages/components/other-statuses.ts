import { formatCount } from '@/lib/format';
import type { MessageTotals } from '../schema';

/** Few messages have these, so that the sum says how many. */
const OTHER_STATUSES = ['submitting', 'scheduled', 'cancelled'] as const;

type Others = { text: string; title: string };

/** A text such as "4 in other states", which makes the total that of the counts beside it. A tile has no room for the names of several. */
export function othersOf(counts: MessageTotals['counts']): Others | undefined {
  const others = OTHER_STATUSES.filter((status) => counts[status] > 0);
  if (others.length === 0) return undefined;
  const names = others.map((status) => `${formatCount(counts[status])} ${status}`).join(', ');
  const count = others.reduce((sum, status) => sum + counts[status], 0);
  return { text: others.length === 1 ? names : `${formatCount(count)} in other states`, title: `Including ${names}` };
}

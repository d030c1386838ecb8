import { formatCount, formatPlural } from '@/lib/format';
import { MAX_TOTAL } from '@/lib/lists';

export type Choice = { value: string; label: string };

/** How a picker names what it lists. */
export type Noun = { one: string; many: string };

export type Progress = {
  noun: Noun;
  q: string;
  shown: number;
  /** null if it isn't known */
  total: number | null;
  hasMore: boolean;
  isSettled: boolean;
  isOffline: boolean;
  /** Why the last call failed. */
  problem: string | null;
};

/** The label that is the text itself first, then those that begin with it, each in the order of the list. */
export function rankChoices(choices: Choice[], q: string): Choice[] {
  if (q === '') return choices;
  const text = q.toLowerCase();
  const rank = ({ label }: Choice) => (label === text ? 0 : label.startsWith(text) ? 1 : 2);
  return [...choices].sort((a, b) => rank(a) - rank(b));
}

/** What a screen reader announces and, unless everything is shown, the line below the options says. */
export function statusOf({ noun, q, shown, total, hasMore, isSettled, isOffline, problem }: Progress) {
  const note = (text: string) => ({ text, isVisible: true });
  if (isOffline) return note(`You’re offline. Reconnect to load ${noun.many}.`);
  if (problem !== null) return note(`Couldn’t load ${noun.many}. ${problem}`);
  if (!isSettled) return note('Searching…');
  if (hasMore) return note(`${moreOf(shown, total)}, type to narrow`);
  if (shown === 0) return note(q === '' ? `No ${noun.many} yet` : `No matching ${noun.many}`);
  return { text: formatPlural(shown, noun.one, noun.many), isVisible: false };
}

function moreOf(shown: number, total: number | null): string {
  if (total === null || total <= shown) return 'More match';
  return `${total === MAX_TOTAL ? 'Over ' : ''}${formatCount(total - shown)} more`;
}

import { formatCount, formatPlural } from '@/lib/format';
import { MAX_TOTAL } from '@/lib/lists';

export type Choice = {
  value: string;
  label: string;
  /** The text that is searched, if it isn't the whole label. */
  name?: string;
};

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

/** The names that are the text itself first, then those that begin with it, each in the order of the list. */
export function rankChoices(choices: Choice[], q: string): Choice[] {
  return q === '' ? choices : [...choices].sort((a, b) => rank(a, q) - rank(b, q));
}

/** The only choice, or the only one whose name is the text itself. */
export function unmistakable([best, second]: Choice[], q: string): Choice | undefined {
  return best && (!second || (rank(best, q) === 0 && rank(second, q) > 0)) ? best : undefined;
}

function rank({ label, name = label }: Choice, q: string): number {
  const [searched, text] = [name.toLowerCase(), q.toLowerCase()];
  return searched === text ? 0 : searched.startsWith(text) ? 1 : 2;
}

/** Returns the text that a screen reader announces. Unless everything is shown, it is visible below the options too. */
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

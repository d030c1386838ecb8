import { formatCount, formatShare } from '../format';
import type { ListedFigure } from '../messages-href';

type Totals = Record<
  'sent' | 'delivered' | 'deferred' | 'bounced' | 'failed' | 'received' | 'spam' | 'rejected',
  number
>;

/** The share of a figure in its whole, in words. Null for a figure that is a whole itself, and for a whole of 0. */
export function partOfWhole(name: ListedFigure, totals: Totals): string | null {
  const { sent, received, spam, rejected } = totals;
  if (name === 'sent' || name === 'received') return null;
  // Messages that the mail server never accepted are no part of those that were sent.
  if (name === 'failed' && rejected > 0) return `${formatCount(rejected)} never sent`;
  const whole = name === 'spam' ? received + spam : sent;
  if (whole === 0) return null;
  return `${formatShare(totals[name], whole)} of ${name === 'spam' ? 'inbound' : 'sent'}`;
}

/** The figure of the period before, such as "20 the day before". */
export function formatBefore(count: number, when: string): string {
  return `${count === 0 ? 'none' : formatCount(count)} ${when}`;
}

/** Fewer bounces are usual: addresses that are mistyped or no longer exist. */
const MANY_BOUNCES = { count: 10, share: 0.05 };

export const MANY_BOUNCES_TEXT = `Marked: at least ${MANY_BOUNCES.count} bounces and ${MANY_BOUNCES.share * 100}% of sent`;

export function isManyBounces({ bounced, sent }: Pick<Totals, 'bounced' | 'sent'>): boolean {
  return sent > 0 && bounced >= MANY_BOUNCES.count && bounced >= MANY_BOUNCES.share * sent;
}

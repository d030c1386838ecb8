import { createParser, parseAsIsoDateTime } from 'nuqs';

const HOUR_MS = 3_600_000;

/** Periods that end now. */
export const PERIODS = {
  '1h': { label: 'Last hour', ms: HOUR_MS },
  '24h': { label: 'Last 24 hours', ms: 24 * HOUR_MS },
  '7d': { label: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  '30d': { label: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
} as const;

export type Period = keyof typeof PERIODS;

/** Where a list begins. A period moves on, so that a saved view of the last day is one tomorrow too. */
export type Since = Period | Date;

export const parseAsSince = createParser<Since>({
  parse: (text) => (isPeriod(text) ? text : parseAsIsoDateTime.parse(text)),
  serialize: (since) => (since instanceof Date ? parseAsIsoDateTime.serialize(since) : since),
  eq: (one, other) => one.valueOf() === other.valueOf(),
});

/** As the API takes it. @param now when a period ends, in milliseconds */
export function startOf(since: Since | null, now: number): string | undefined {
  if (since === null) return undefined;
  return (since instanceof Date ? since : new Date(now - PERIODS[since].ms)).toISOString();
}

/** The parameters of a list's URL for a period or a range. */
export const RANGE = { since: parseAsSince, until: parseAsIsoDateTime };

type Range = { since: Since | null; until: Date | null };

/** The range as the API takes it. @param now when a period ends, in milliseconds */
export function rangeInput({ since, until }: Range, now: number) {
  return { since: startOf(since, now), until: until?.toISOString() };
}

/** Within a sentence, such as "last 24 hours". */
export function nameOfPeriod(period: Period): string {
  return PERIODS[period].label.toLowerCase();
}

function isPeriod(text: string): text is Period {
  return Object.hasOwn(PERIODS, text);
}

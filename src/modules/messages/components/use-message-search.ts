'use client';

import { createParser, parseAsBoolean, parseAsIsoDateTime, parseAsString, parseAsStringLiteral } from 'nuqs';
import { parseAsSince, type Since, startOf } from '@/components/list/since';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { MESSAGE_STATUSES } from '@/lib/mail/outcomes';
import { messageList } from '../lists';

/** All retained messages, where the list would otherwise have those of a day. */
export const ANY = 'any';

const parseAsSinceOrAny = createParser<Since | typeof ANY>({
  parse: (text) => (text === ANY ? ANY : parseAsSince.parse(text)),
  serialize: (since) => (since === ANY ? ANY : parseAsSince.serialize(since)),
  eq: (one, other) => one.valueOf() === other.valueOf(),
});

const SEARCH = {
  filters: {
    q: parseAsText,
    domain: parseAsString,
    status: parseAsStringLiteral(MESSAGE_STATUSES),
    accepted: parseAsBoolean,
    direction: parseAsStringLiteral(['outbound', 'inbound']),
    from: parseAsText,
    to: parseAsText,
    tag: parseAsText,
    template: parseAsString,
    key: parseAsString,
    since: parseAsSinceOrAny,
    until: parseAsIsoDateTime,
  },
  view: { ...sortBy(messageList), peek: parseAsString },
};

export function useMessageSearch() {
  return useListSearch(SEARCH);
}

export type MessageSearch = ReturnType<typeof useMessageSearch>;

/** The search as the API's input. */
export function inputOf(search: MessageSearch) {
  const { status } = search.values;
  const { now } = search.history;
  const since = startOf(sinceOf(search), isDay(search) ? now - (now % QUARTER_MS) : now);
  return { ...narrowedBy(search), since, until: untilOf(search), status: status ?? undefined };
}

/** The same for the counts by status, which know the last 24 hours without a filter. */
export function totalsOf(search: MessageSearch) {
  const { status: _, ...filters } = inputOf(search);
  return isDay(search) ? { domain_id: filters.domain_id } : filters;
}

/** Whether the messages of the last 24 hours are all that is counted. */
export function isDay(search: MessageSearch): boolean {
  return !isNarrowed(search) && sinceOf(search) === DAY && search.values.until === null;
}

/** Where the list begins. Without a filter, it has the messages of the last day, which are counted above it. */
export function sinceOf(search: MessageSearch): Since | null {
  const { since, until, status } = search.values;
  if (since !== null) return since === ANY ? null : since;
  return until !== null || status !== null || isNarrowed(search) ? null : DAY;
}

const DAY = '24h';
/** The statistics count by quarters of an hour. */
const QUARTER_MS = 15 * 60_000;

function untilOf({ values }: MessageSearch): string | undefined {
  return values.until?.toISOString();
}

function isNarrowed(search: MessageSearch): boolean {
  const { domain_id: _, ...filters } = narrowedBy(search);
  return Object.values(filters).some((value) => value !== undefined);
}

/** All filters but the status and the time. */
function narrowedBy({ settled, values }: MessageSearch) {
  return {
    q: settled.q || undefined,
    from: settled.from || undefined,
    to: settled.to || undefined,
    tag: settled.tag || undefined,
    template: values.template ?? undefined,
    api_key_id: values.key ?? undefined,
    domain_id: values.domain ?? undefined,
    accepted: values.accepted || undefined,
    direction: values.direction ?? undefined,
  };
}

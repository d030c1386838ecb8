'use client';

import { parseAsBoolean, parseAsIsoDateTime, parseAsString, parseAsStringLiteral } from 'nuqs';
import { parseAsSince, startOf } from '@/components/list/since';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { MESSAGE_STATUSES } from '../schema';

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
    since: parseAsSince,
    until: parseAsIsoDateTime,
  },
  view: { ...sortBy(['created_at'], 'desc'), peek: parseAsString },
};

export function useMessageSearch() {
  return useListSearch(SEARCH);
}

export type MessageSearch = ReturnType<typeof useMessageSearch>;

/** The search as the API's input. */
export function inputOf(search: MessageSearch) {
  const { status, order } = search.values;
  return { ...filtersOf(search), status: status ?? undefined, order };
}

/** All filters but the status. */
export function filtersOf({ settled, values, history }: MessageSearch) {
  return {
    q: settled.q || undefined,
    from: settled.from || undefined,
    to: settled.to || undefined,
    tag: settled.tag || undefined,
    template: values.template ?? undefined,
    domain_id: values.domain ?? undefined,
    accepted: values.accepted || undefined,
    direction: values.direction ?? undefined,
    since: startOf(values.since, history.now),
    until: values.until?.toISOString(),
  };
}

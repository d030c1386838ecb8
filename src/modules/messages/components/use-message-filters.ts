'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { parseAsIsoDateTime, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { MESSAGE_STATUSES } from '../schema';

const parsers = {
  q: parseAsString.withDefault(''),
  domain: parseAsString,
  status: parseAsStringLiteral(MESSAGE_STATUSES),
  direction: parseAsStringLiteral(['outbound', 'inbound']),
  from: parseAsString.withDefault(''),
  to: parseAsString.withDefault(''),
  since: parseAsIsoDateTime,
  until: parseAsIsoDateTime,
  order: parseAsStringLiteral(['asc', 'desc']).withDefault('desc'),
  peek: parseAsString,
  cursor: parseAsString,
};

export function useMessageFilters() {
  const [filters, setFilters] = useQueryStates(parsers);
  const [settled] = useDebouncedValue({ q: filters.q.trim(), from: filters.from.trim(), to: filters.to.trim() }, 250);

  const change = (values: Parameters<typeof setFilters>[0] & object) => {
    void setFilters({ cursor: null, ...values });
  };

  return {
    filters,
    change,
    clear: () =>
      change({ q: null, status: null, direction: null, from: null, to: null, since: null, until: null, domain: null }),
    isFiltered:
      Boolean(settled.q || settled.from || settled.to) ||
      [filters.status, filters.direction, filters.since, filters.until, filters.domain].some((value) => value !== null),
    input: {
      q: settled.q || undefined,
      from: settled.from || undefined,
      to: settled.to || undefined,
      domain_id: filters.domain ?? undefined,
      status: filters.status ?? undefined,
      direction: filters.direction ?? undefined,
      since: filters.since?.toISOString(),
      until: filters.until?.toISOString(),
      order: filters.order,
    },
  };
}

export type MessageFilters = ReturnType<typeof useMessageFilters>;

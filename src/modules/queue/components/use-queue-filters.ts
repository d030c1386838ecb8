'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { ListQueue, QUEUES } from '../schema';

const parsers = {
  queue: parseAsStringLiteral(QUEUES),
  from: parseAsString.withDefault(''),
  to: parseAsString.withDefault(''),
  order: parseAsStringLiteral(['asc', 'desc']).withDefault('asc'),
  open: parseAsString,
  cursor: parseAsString,
};

/** What of the queue is listed, and which message is open. The longest waiting first, so that what comes moves nothing. */
export function useQueueFilters() {
  const [filters, setFilters] = useQueryStates(parsers);
  const [settled] = useDebouncedValue({ from: filters.from.trim(), to: filters.to.trim() }, 250);
  return {
    filters,
    change: (values: Parameters<typeof setFilters>[0] & object) =>
      void setFilters({ cursor: null, open: null, ...values }),
    open: (open: string | null) => void setFilters({ open }),
    clear: () => void setFilters({ queue: null, from: null, to: null, cursor: null, open: null }),
    isFiltered: filters.queue !== null || settled.from !== '' || settled.to !== '',
    input: {
      queue: filters.queue ?? undefined,
      from: soughtIn('from', settled.from),
      to: soughtIn('to', settled.to),
      order: filters.order,
    },
  };
}

export type QueueFilters = ReturnType<typeof useQueueFilters>;

/** Half an address is not asked for. */
export function isSearchable(field: 'from' | 'to', text: string): boolean {
  return text.trim() === '' || ListQueue.shape[field].safeParse(text.trim()).success;
}

function soughtIn(field: 'from' | 'to', text: string): string | undefined {
  return text !== '' && isSearchable(field, text) ? text : undefined;
}

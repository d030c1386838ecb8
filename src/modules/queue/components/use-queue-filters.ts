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

/** Filters and the open message, in the URL. The oldest comes first, so that new messages don't move the list. */
export function useQueueFilters() {
  const [filters, setFilters] = useQueryStates(parsers);
  const [debounced] = useDebouncedValue({ from: filters.from.trim(), to: filters.to.trim() }, 250);
  return {
    filters,
    change: (values: Parameters<typeof setFilters>[0] & object) =>
      void setFilters({ cursor: null, open: null, ...values }),
    open: (open: string | null) => void setFilters({ open }),
    clear: () => void setFilters({ queue: null, from: null, to: null, cursor: null, open: null }),
    isFiltered: filters.queue !== null || debounced.from !== '' || debounced.to !== '',
    input: {
      queue: filters.queue ?? undefined,
      from: searchTerm('from', debounced.from),
      to: searchTerm('to', debounced.to),
      order: filters.order,
    },
  };
}

export type QueueFilters = ReturnType<typeof useQueueFilters>;

/** Whether the text is empty or complete enough to search for. */
export function isSearchable(field: 'from' | 'to', text: string): boolean {
  return text.trim() === '' || ListQueue.shape[field].safeParse(text.trim()).success;
}

function searchTerm(field: 'from' | 'to', text: string): string | undefined {
  return text !== '' && isSearchable(field, text) ? text : undefined;
}

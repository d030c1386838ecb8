'use client';

import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { choicesOf } from '@/lib/lists';
import { parseAddressOrDomain, withoutSpaces } from '@/lib/mail/address';
import { queueList } from '../lists';
import { QUEUE_LABELS } from './queue-labels';

const SEARCH = {
  filters: { queue: parseAsStringLiteral(choicesOf(QUEUE_LABELS)), from: parseAsText, to: parseAsText },
  // The oldest first, so that new messages don't move the list.
  view: { ...sortBy(queueList, { order: 'asc' }), open: parseAsString },
  resets: { open: null },
};

export function useQueueSearch() {
  return useListSearch(SEARCH);
}

export type QueueSearch = ReturnType<typeof useQueueSearch>;

/** The search as the API's input. */
export function inputOf({ values, settled }: QueueSearch) {
  return {
    queue: values.queue ?? undefined,
    from: searchTerm('from', settled.from),
    to: searchTerm('to', settled.to),
  };
}

/** Whether the text is empty or complete enough to search for. */
export function isSearchable(field: 'from' | 'to', text: string): boolean {
  const entered = withoutSpaces(text);
  return entered === '' || (field === 'from' && entered === '<>') || parseAddressOrDomain(entered) !== null;
}

function searchTerm(field: 'from' | 'to', text: string): string | undefined {
  return text !== '' && isSearchable(field, text) ? text : undefined;
}

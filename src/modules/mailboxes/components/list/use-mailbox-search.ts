'use client';

import { parseAsBoolean, parseAsString, parseAsStringLiteral } from 'nuqs';
import { parseAsText, useListSearch } from '@/components/list/use-list-search';

const SORT = parseAsStringLiteral(['local_part', 'created_at', 'percent_full']);

const SEARCH = {
  filters: {
    q: parseAsText,
    show: parseAsStringLiteral(['all', 'active', 'inactive', 'suspended', 'full']).withDefault('all'),
  },
  view: {
    sort: SORT,
    order: parseAsStringLiteral(['asc', 'desc']),
    new: parseAsBoolean.withDefault(false),
    import: parseAsBoolean.withDefault(false),
    local: parseAsString.withDefault(''),
  },
};

/** Until an order is chosen, it depends on the filter: of nearly full mailboxes, the fullest are first. */
export function useMailboxSearch() {
  const search = useListSearch(SEARCH);
  const { show, sort, order } = search.values;
  const isFullestFirst = show === 'full' && sort === null;
  return {
    ...search,
    sort: {
      field: sort ?? (isFullestFirst ? 'percent_full' : 'local_part'),
      order: order ?? (isFullestFirst ? 'desc' : 'asc'),
      onSort: (field: string, next: 'asc' | 'desc') => search.change({ sort: SORT.parse(field), order: next }),
    },
  };
}

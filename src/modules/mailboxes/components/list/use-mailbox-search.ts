'use client';

import { parseAsBoolean, parseAsString, parseAsStringLiteral } from 'nuqs';
import { parseAsShow } from '@/components/list/show-filter';
import { parseAsText, useListSearch } from '@/components/list/use-list-search';
import { NEARLY_FULL_PERCENT } from '@/lib/mail/fullness';
import { mailboxList } from '../../lists';

const SORT = parseAsStringLiteral(mailboxList.sorts);

export const CHOICES = {
  all: { label: 'All', input: {} },
  active: { label: 'Active', input: { active: true, suspended: false } },
  inactive: { label: 'Inactive', input: { active: false } },
  suspended: { label: 'Suspended', input: { suspended: true } },
  full: { label: 'Nearly full', input: { active: true, suspended: false, min_percent_full: NEARLY_FULL_PERCENT } },
};

const SEARCH = {
  filters: {
    q: parseAsText,
    show: parseAsShow(CHOICES),
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
      isChosen: sort !== null,
      field: sort ?? (isFullestFirst ? 'percent_full' : 'local_part'),
      order: order ?? (isFullestFirst ? 'desc' : 'asc'),
      onSort: (field: string, next: 'asc' | 'desc') => search.change({ sort: SORT.parse(field), order: next }),
    },
  };
}

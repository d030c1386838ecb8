'use client';

import { parseAsBoolean, parseAsString } from 'nuqs';
import { ACTIVE_CHOICES, parseAsShow } from '@/components/list/show-filter';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { aliasList } from '../../lists';

const SEARCH = {
  filters: { q: parseAsText, show: parseAsShow(ACTIVE_CHOICES) },
  view: {
    ...sortBy(aliasList, { sort: 'source_local_part', order: 'asc' }),
    domain: parseAsString,
    new: parseAsBoolean.withDefault(false),
    import: parseAsBoolean.withDefault(false),
    edit: parseAsString,
    trace: parseAsString,
    history: parseAsString,
  },
};

export function useAliasSearch() {
  return useListSearch(SEARCH);
}

export type AliasSearch = ReturnType<typeof useAliasSearch>;

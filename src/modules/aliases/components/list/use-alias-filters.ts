'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';

const SHOWN = { all: undefined, active: true, inactive: false } as const;

const parsers = {
  domain: parseAsString,
  q: parseAsString.withDefault(''),
  show: parseAsStringLiteral(['all', 'active', 'inactive']).withDefault('all'),
  sort: parseAsStringLiteral(['source_local_part', 'created_at']).withDefault('source_local_part'),
  order: parseAsStringLiteral(['asc', 'desc']).withDefault('asc'),
  new: parseAsBoolean.withDefault(false),
  import: parseAsBoolean.withDefault(false),
  edit: parseAsString,
  trace: parseAsString,
  cursor: parseAsString,
};

type OpenDialogs = { new?: true | null; import?: true | null; edit?: string | null; trace?: string | null };

export function useAliasFilters() {
  const [filters, setFilters] = useQueryStates(parsers);
  const [q] = useDebouncedValue(filters.q.trim(), 200);
  return {
    filters,
    /** Changes the filters and returns to the first page. */
    change: (values: Parameters<typeof setFilters>[0] & object) => void setFilters({ cursor: null, ...values }),
    /** Opens or closes dialogs. */
    open: (values: OpenDialogs) => void setFilters(values),
    clear: () => void setFilters({ q: null, show: null, cursor: null }),
    isFiltered: q !== '' || filters.show !== 'all',
    input: { q: q || undefined, active: SHOWN[filters.show], sort: filters.sort, order: filters.order },
  };
}

export type AliasFilters = ReturnType<typeof useAliasFilters>;

'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';

const SHOWN = { all: undefined, on: true, off: false } as const;

const parsers = {
  domain: parseAsString,
  q: parseAsString.withDefault(''),
  show: parseAsStringLiteral(['all', 'on', 'off']).withDefault('all'),
  sort: parseAsStringLiteral(['source_local_part', 'created_at']).withDefault('source_local_part'),
  order: parseAsStringLiteral(['asc', 'desc']).withDefault('asc'),
  new: parseAsBoolean.withDefault(false),
  import: parseAsBoolean.withDefault(false),
  edit: parseAsString,
  trace: parseAsString,
  cursor: parseAsString,
};

type Opened = { new?: true | null; import?: true | null; edit?: string | null; trace?: string | null };

export function useAliasFilters() {
  const [filters, setFilters] = useQueryStates(parsers);
  const [q] = useDebouncedValue(filters.q.trim(), 200);
  return {
    filters,
    /** Changes what is listed, which begins again on its first page. */
    change: (values: Parameters<typeof setFilters>[0] & object) => void setFilters({ cursor: null, ...values }),
    /** Opens or closes what stands above the list. */
    open: (values: Opened) => void setFilters(values),
    clear: () => void setFilters({ q: null, show: null, cursor: null }),
    isFiltered: q !== '' || filters.show !== 'all',
    input: { q: q || undefined, active: SHOWN[filters.show], sort: filters.sort, order: filters.order },
  };
}

export type AliasFilters = ReturnType<typeof useAliasFilters>;

'use client';

import { keepPreviousData } from '@tanstack/react-query';
import type { DecorateProcedure } from '@trpc/react-query/shared';
import type { List } from '@/lib/lists';
import type { VIEW_PAGES, ViewPage } from '@/lib/saved-views';
import { NOT_WITH_PAGE } from '../api/page-query-client';
import type { ListSearch } from './use-list-search';

const STALE_MS = 60_000;

// biome-ignore lint/suspicious/noExplicitAny: errors are read by toProblem.
type ErrorShape = any;

type ListPage<Row> = { items: Row[]; pagination: { has_more: boolean; next_cursor: string; total?: number | null } };

type ListQuery<Row> = {
  data: ListPage<Row> | undefined;
  isError: boolean;
  isPlaceholderData: boolean;
  error: unknown;
  refetch: () => unknown;
};

/** A list as its page shows it. */
export type ShownList<Row> = List<Row> & {
  query: ListQuery<Row>;
  /** The filters and the order, as the API takes them. */
  input: object;
  /** Without it, the list is one page in one order. */
  search?: ListSearch;
  /** The rows on all pages, where they are counted. */
  total?: number | null;
};

type Procedure<Input, Row> = DecorateProcedure<
  'query',
  { input: Input; output: ListPage<Row>; transformer: false; errorShape: ErrorShape }
>;

type PageInput = { cursor?: string; limit?: number; total?: boolean };

/** The parameters of a page's URL that the views of its list keep. */
type KeptOf<Declared> = Declared extends { views: infer Page extends ViewPage }
  ? (typeof VIEW_PAGES)[Page]['parameters'][number]
  : string;

type ListOptions<Input, Row, Declared> = {
  /** The filters. The order is that of the search. */
  input: Omit<Input, keyof PageInput>;
  search?: ListSearch<KeptOf<Declared>>;
  limit?: number;
  /** Whether to count the rows, once the list has several pages. */
  isCounted?: boolean;
  enabled?: boolean;
  refetchInterval?: number | false | ((query: { state: { data?: ListPage<Row> } }) => number);
  retry?: false;
  placeholderData?: typeof keepPreviousData;
};

/** Loads a page of a list, and counts its rows. */
export function useList<Input extends PageInput, Row, Declared extends List<Row>>(
  declared: Declared,
  procedure: Procedure<Input, Row>,
  { input: filters, search, limit, isCounted = search !== undefined, ...options }: ListOptions<Input, Row, Declared>,
) {
  const input = { ...(search?.sort && { sort: search.sort.field, order: search.sort.order }), ...filters };
  const at = { limit, cursor: search?.history.cursor };
  const query = procedure.useQuery({ ...input, ...at } as Input, {
    ...(search && { placeholderData: keepPreviousData }),
    ...options,
  });
  const page = query.isPlaceholderData ? undefined : query.data;
  const isLong = page !== undefined && (page.pagination.has_more || search?.history.isFirst === false);
  // A request of its own: no list waits for its total.
  const total = procedure.useQuery({ ...input, limit: 1, total: true } as Input, {
    enabled: isCounted && isLong,
    staleTime: STALE_MS,
    retry: false,
    meta: NOT_WITH_PAGE,
    trpc: { context: { isAlone: true } },
  });
  return { ...declared, query, input, search, total: total.data?.pagination.total };
}

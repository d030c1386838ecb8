import { NOT_WITH_PAGE } from '../api/page-query-client';
import type { ListQuery } from './list-view';
import type { ListSearch } from './use-list-search';

const STALE_MS = 60_000;

/** A list's input, to count what it matches. */
export function totalOf<Input extends object>(input: Input) {
  return { ...input, cursor: undefined, limit: 1, total: true };
}

/** The total is a query of its own, in a request of its own: no list waits for it. A list of one page needs none. */
export function totalOptions(query: ListQuery<unknown>, { history }: Pick<ListSearch, 'history'>) {
  const page = query.isPlaceholderData ? undefined : query.data;
  return {
    enabled: page !== undefined && (page.pagination.has_more || !history.isFirst),
    staleTime: STALE_MS,
    retry: false,
    meta: NOT_WITH_PAGE,
    trpc: { context: { isAlone: true } },
  };
}

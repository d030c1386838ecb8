import { QueryCache, QueryClient } from '@tanstack/react-query';
import type { PageRequest } from '@/lib/page-request';
import { watchProfile } from './profile-first';

/** The `meta` of a query that pages don't wait for. */
export const NOT_WITH_PAGE = { isLeftToBrowser: true };

/**
 * The client of one page that the server renders. Components wait for the data they show, so the page arrives with it.
 * What fails here is asked for again by the browser, which shows the error.
 */
export function createPageQueryClient(page: PageRequest): QueryClient {
  const failed = new Set<string>();
  const queryCache = new QueryCache({
    onError: (_error, query) => {
      failed.add(query.queryHash);
      queryCache.remove(query);
    },
  });
  watchProfile(queryCache, (zone) => {
    page.timeZone = zone ?? page.timeZone;
  });
  const client = new QueryClient({
    queryCache,
    defaultOptions: { queries: { staleTime: Number.POSITIVE_INFINITY, retry: false } },
  });
  const withDefaults = client.defaultQueryOptions.bind(client);
  // A default of `suspense` would also fetch the queries that are disabled.
  client.defaultQueryOptions = ((options: Parameters<typeof withDefaults>[0]) => {
    const defaulted = withDefaults(options);
    const isLeft =
      typeof defaulted.enabled === 'function' ||
      defaulted.enabled === false ||
      defaulted.meta === NOT_WITH_PAGE ||
      failed.has(defaulted.queryHash);
    return { ...defaulted, suspense: !isLeft };
  }) as typeof withDefaults;
  return client;
}

'use client';

import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ReactQueryStreamedHydration } from '@tanstack/react-query-next-experimental';
import type { TRPCLink } from '@trpc/client';
import { createTRPCReact, httpBatchLink, httpLink, splitLink } from '@trpc/react-query';
import { type ReactNode, useState } from 'react';
import { MAX_BATCH } from '@/lib/console-batch';
import { currentPage, type PageRequest } from '@/lib/page-request';
import type { AppRouter } from '@/modules/router';
import { setTimeZone } from '../values/use-time-zone';
import { ifMatchOf } from './if-unchanged';
import { createPageQueryClient } from './page-query-client';
import { isSessionLost, isVersionConflict, toProblem } from './problem';
import { profileFirst, watchProfile } from './profile-first';
import { reportSessionLost } from './session-lost';

const URL = '/api/trpc';
const BATCH = { url: URL, maxURLLength: 2000, maxItems: MAX_BATCH };

export const trpc = createTRPCReact<AppRouter>();

export function TrpcProvider({ nonce, children }: { nonce: string | undefined; children: ReactNode }) {
  const [queryClient] = useState(pageQueryClient);
  const [client] = useState(() => trpc.createClient({ links: linksOf(currentPage()) }));
  return (
    <trpc.Provider client={client} queryClient={queryClient}>
      <QueryClientProvider client={queryClient}>
        <ReactQueryStreamedHydration nonce={nonce}>{children}</ReactQueryStreamedHydration>
      </QueryClientProvider>
    </trpc.Provider>
  );
}

function linksOf(page: PageRequest | undefined): TRPCLink<AppRouter>[] {
  if (page) return [httpBatchLink({ ...BATCH, fetch: (url, init) => page.call(String(url), init as RequestInit) })];
  return [
    profileFirst,
    splitLink({
      condition: ({ context }) => context.isAlone === true,
      true: httpLink({ url: URL }),
      false: splitLink({
        condition: ({ input }) => ifMatchOf(input) !== null,
        // The header is one call's.
        true: httpBatchLink({
          ...BATCH,
          maxItems: 1,
          headers: ({ opList: [{ input }] }) => ({ 'If-Match': ifMatchOf(input) ?? undefined }),
        }),
        false: httpBatchLink(BATCH),
      }),
    }),
  ];
}

let ofBrowser: QueryClient | undefined;

/** A browser has one. If React starts the first rendering over, it drops the state of components, but not the data here. */
function pageQueryClient(): QueryClient {
  if (typeof window === 'undefined') {
    const page = currentPage();
    return page ? createPageQueryClient(page) : new QueryClient();
  }
  ofBrowser ??= createBrowserQueryClient();
  return ofBrowser;
}

function createBrowserQueryClient(): QueryClient {
  const queryCache = new QueryCache({ onError: watchSession });
  watchProfile(queryCache, setTimeZone);
  const client: QueryClient = new QueryClient({
    queryCache,
    mutationCache: new MutationCache({
      onError: (error, _input, _context, { options }) => {
        watchSession(error);
        if (isVersionConflict(toProblem(error)))
          void client.invalidateQueries({ queryKey: moduleOf(options.mutationKey) });
      },
    }),
    defaultOptions: {
      queries: { staleTime: 10_000, retry: (failures, error) => failures < 2 && isWorthRetrying(error) },
      mutations: { retry: false },
    },
  });
  return client;
}

/** The key of all queries of a mutation's module, which show the record that has changed. */
function moduleOf([path]: readonly unknown[] = []): unknown[] {
  return [[(path as string[])[0]]];
}

function isWorthRetrying(error: unknown): boolean {
  const { status } = toProblem(error);
  return status === 0 || status >= 502;
}

function watchSession(error: unknown): void {
  if (isSessionLost(toProblem(error))) reportSessionLost();
}

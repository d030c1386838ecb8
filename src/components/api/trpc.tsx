'use client';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ReactQueryStreamedHydration } from '@tanstack/react-query-next-experimental';
import type { TRPCLink } from '@trpc/client';
import { createTRPCReact, httpBatchLink, httpLink, splitLink } from '@trpc/react-query';
import { type ReactNode, useState } from 'react';
import { MAX_BATCH } from '@/lib/console-batch';
import { currentPage, type PageRequest } from '@/lib/page-request';
import type { AppRouter } from '@/modules/router';
import { createBrowserQueryClient } from './browser-query-client';
import { ifMatchOf } from './if-unchanged';
import { createPageQueryClient } from './page-query-client';
import { profileFirst } from './profile-first';

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
        condition: ({ context }) => context.isPosted === true,
        // Its fields are too long for a URL.
        true: httpLink({ url: URL, methodOverride: 'POST' }),
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

'use client';

import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createTRPCReact, httpBatchLink, httpLink, splitLink } from '@trpc/react-query';
import { type ReactNode, useState } from 'react';
import type { AppRouter } from '@/modules/router';
import { isSessionLost, toProblem } from './problem';
import { profileFirst } from './profile-first';
import { reportSessionLost } from './session-lost';

const URL = '/api/trpc';

export const trpc = createTRPCReact<AppRouter>();

export function TrpcProvider({ children }: { children: ReactNode }) {
  const [queryClient] = useState(createQueryClient);
  const [client] = useState(() =>
    trpc.createClient({
      links: [
        profileFirst,
        splitLink({
          condition: ({ context }) => context.isAlone === true,
          true: httpLink({ url: URL }),
          false: httpBatchLink({ url: URL, maxURLLength: 2000 }),
        }),
      ],
    }),
  );
  return (
    <trpc.Provider client={client} queryClient={queryClient}>
      <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
    </trpc.Provider>
  );
}

function createQueryClient(): QueryClient {
  return new QueryClient({
    queryCache: new QueryCache({ onError: watchSession }),
    mutationCache: new MutationCache({ onError: watchSession }),
    defaultOptions: {
      queries: { staleTime: 10_000, retry: (failures, error) => failures < 2 && isWorthRetrying(error) },
      mutations: { retry: false },
    },
  });
}

function isWorthRetrying(error: unknown): boolean {
  const { status } = toProblem(error);
  return status === 0 || status >= 502;
}

function watchSession(error: unknown): void {
  if (isSessionLost(toProblem(error))) reportSessionLost();
}

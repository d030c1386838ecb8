import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { setTimeZone } from '../values/use-time-zone';
import { checkConnection } from './connection';
import { followOtherTabs, tellOtherTabs } from './other-tabs';
import { isSessionLost, isVersionConflict, toProblem } from './problem';
import { watchProfile } from './profile-first';
import { isSessionReportedLost, reportSessionLost, reportSessionRegained } from './session-lost';

export function createBrowserQueryClient(): QueryClient {
  const queryCache = new QueryCache({
    onError: watch,
    onSuccess: (_data, { queryKey }) => {
      if (!isSessionReportedLost() || String(queryKey[0]) !== 'auth,me') return;
      // Another tab has signed in.
      reportSessionRegained();
      void client.invalidateQueries();
    },
  });
  watchProfile(queryCache, setTimeZone);
  const client = new QueryClient({
    queryCache,
    mutationCache: new MutationCache({
      onSuccess: (_data, _input, _context, { options }) => announce(options.mutationKey),
      onError: (error, _input, _context, { options }) => {
        watch(error);
        const changed = moduleOf(options.mutationKey);
        if (changed && isVersionConflict(toProblem(error))) void client.invalidateQueries({ queryKey: [[changed]] });
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: 10_000,
        retry: (failures, error) => failures < 2 && isWorthRetrying(error),
        refetchOnReconnect: 'always',
      },
      // Offline, a change fails at once. It isn't kept, to be made at a time when nobody expects it.
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  followOtherTabs(client);
  return client;

  function watch(error: unknown): void {
    const problem = toProblem(error);
    if (isSessionLost(problem)) reportSessionLost();
    if (isWorthRetrying(error)) void checkConnection(client);
  }
}

function announce(mutationKey: readonly unknown[] | undefined): void {
  const changed = moduleOf(mutationKey);
  if (changed) tellOtherTabs(changed);
}

/** The module that a mutation belongs to. The keys of its queries begin with it, too. */
function moduleOf([path]: readonly unknown[] = []): string | undefined {
  return (path as string[] | undefined)?.[0];
}

function isWorthRetrying(error: unknown): boolean {
  const { status } = toProblem(error);
  return status === 0 || status >= 502;
}

import { trpc } from '@/components/api/trpc';
import type { DkimKey } from '../../dkim/schema';

const LOOK_AGAIN_MS = 2_000;
const MAX_KEYS = 200;

export type Dkim = ReturnType<typeof useDkim>;

/** The keys of a domain, and whether a mail server takes them. While one is on its way there, it looks again. */
export function useDkim(id: string) {
  const found = trpc.mailServer.get.useQuery({}, { refetchInterval: 5 * LOOK_AGAIN_MS });
  const mailServer = found.data?.state ?? 'none';
  const list = trpc.domains.dkimKeys.useQuery(
    { id, limit: MAX_KEYS },
    { refetchInterval: ({ state }) => mailServer === 'attached' && isOnItsWay(state.data?.items) && LOOK_AGAIN_MS },
  );
  return {
    keys: list.data?.items,
    mailServer,
    isPending: list.isPending || found.isPending,
    error: list.error,
    retry: () => void list.refetch(),
  };
}

/** What a change of keys is seen in. */
export function useRefreshDkim(id: string) {
  const utils = trpc.useUtils();
  return async () => {
    await Promise.all([utils.domains.dkimKeys.invalidate({ id }), utils.domains.get.invalidate({ id })]);
  };
}

function isOnItsWay(keys: DkimKey[] | undefined): boolean {
  return keys?.some(({ status, published_at }) => status === 'active' && published_at === null) ?? false;
}

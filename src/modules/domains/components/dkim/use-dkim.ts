import { trpc } from '@/components/api/trpc';
import type { DkimKey } from '../../dkim/schema';

const POLL_MS = 2_000;
const MAX_KEYS = 200;

export type Dkim = ReturnType<typeof useDkim>;

/** A domain's keys and the state of the mail server. Polls while a key is being published to the mail server. */
export function useDkim(id: string) {
  const mailServerQuery = trpc.mailServer.get.useQuery({}, { refetchInterval: 5 * POLL_MS });
  const mailServer = mailServerQuery.data?.state ?? 'none';
  const list = trpc.domains.dkimKeys.useQuery(
    { id, limit: MAX_KEYS },
    { refetchInterval: ({ state }) => mailServer === 'attached' && isPublishing(state.data?.items) && POLL_MS },
  );
  return {
    keys: list.data?.items,
    mailServer,
    isPending: list.isPending || mailServerQuery.isPending,
    error: list.error,
    retry: () => void list.refetch(),
  };
}

/** Refetches the queries that a key change affects. */
export function useRefreshDkim(id: string) {
  const utils = trpc.useUtils();
  return async () => {
    await Promise.all([
      utils.domains.dkimKeys.invalidate({ id }),
      utils.domains.get.invalidate({ id }),
      utils.domains.dns.invalidate({ id }),
    ]);
  };
}

function isPublishing(keys: DkimKey[] | undefined): boolean {
  return keys?.some(({ status, published_at }) => status === 'active' && published_at === null) ?? false;
}

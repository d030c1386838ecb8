'use client';

import { useInfiniteQuery } from '@tanstack/react-query';
import { NOT_WITH_PAGE } from '@/components/api/page-query-client';
import { trpc } from '@/components/api/trpc';

const PAGE_SIZE = 20;

/**
 * Loads the changes of a record, the newest first, a page at a time. Not through tRPC's own hook, which adds a parameter that
 * the API doesn't take.
 */
export function useHistory(resource: string) {
  const { client } = trpc.useUtils();
  return useInfiniteQuery({
    // Begins like the keys of the module, so that a change of a record loads its history again.
    queryKey: [['audit', 'history'], resource],
    queryFn: ({ pageParam: cursor }) =>
      client.audit.list.query({ resource, changes_only: true, limit: PAGE_SIZE, cursor }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => pagination.next_cursor || undefined,
    meta: NOT_WITH_PAGE,
  });
}

'use client';

import { useEffect, useRef } from 'react';
import { trpc } from '@/components/api/trpc';

const POLL_MS = 1_000;

/** Follows an operation until it is finished. */
export function useBackupOperation(id: string | null, onFinished?: () => void) {
  const query = trpc.backups.operation.useQuery(
    { id: id ?? '' },
    {
      enabled: id !== null,
      retry: false,
      refetchInterval: ({ state: { data } }) => (data && data.finished_at !== null ? false : POLL_MS),
    },
  );
  const { data } = query;
  const running = useRef<string | null>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only the end of one that was seen running is reported.
  useEffect(() => {
    if (!data) return;
    if (data.finished_at === null) running.current = data.id;
    else if (running.current === data.id) {
      running.current = null;
      onFinished?.();
    }
  }, [data]);

  return query;
}

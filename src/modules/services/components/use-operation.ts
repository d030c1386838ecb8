'use client';

import { useEffect, useState } from 'react';
import { trpc } from '@/components/api/trpc';
import type { Operation, OutputLine } from '../schema';

const POLL_MS = 1_000;
const RETRY_MS = 3_000;

type Followed = { id: string; operation: Operation; lines: OutputLine[] };

/** Follows an operation until it is finished, and reads only the lines that are new. */
export function useOperation(id: string | null, onFinished: () => void) {
  const { client } = trpc.useUtils();
  const [followed, setFollowed] = useState<Followed | null>(null);
  const [error, setError] = useState<unknown>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another operation starts over.
  useEffect(() => {
    if (id === null) return;
    const ending = new AbortController();
    let timer: ReturnType<typeof setTimeout>;
    let lines: OutputLine[] = [];
    let wasRunning = false;
    const read = async () => {
      try {
        const after = lines.at(-1)?.number ?? 0;
        const { output, ...operation } = await client.services.operation.query(
          { id, after },
          { signal: ending.signal },
        );
        lines = [...lines, ...output];
        setFollowed({ id, operation, lines });
        setError(null);
        if (operation.finished_at === null) timer = setTimeout(read, POLL_MS);
        else if (wasRunning) onFinished();
        wasRunning = operation.finished_at === null;
      } catch (problem) {
        if (ending.signal.aborted) return;
        setError(problem);
        timer = setTimeout(read, RETRY_MS);
      }
    };
    setError(null);
    void read();
    return () => {
      ending.abort();
      clearTimeout(timer);
    };
  }, [id]);

  return { followed: followed?.id === id ? followed : null, error };
}

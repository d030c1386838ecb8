import { useMemo } from 'react';
import type { Problem } from '@/components/api/problem';
import { useSecondsLeft } from './use-seconds-left';

/** Seconds until a throttled sign-in may be retried. */
export function useWait(problem: Problem | null): number {
  const until = useMemo(() => {
    const seconds = problem?.status === 429 ? Number(problem.details.retry_after_seconds) : 0;
    return seconds > 0 ? new Date(Date.now() + seconds * 1000).toISOString() : null;
  }, [problem]);
  return useSecondsLeft(until);
}

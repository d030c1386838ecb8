import type { Clock } from '@/server/clock';

/** A clock that changes only with `advance`. */
export function manualClock(at: string): Clock & { advance(seconds: number): void } {
  let now = Date.parse(at);
  return {
    now: () => new Date(now),
    advance: (seconds) => {
      now += seconds * 1000;
    },
  };
}

import type { Clock } from '@/server/clock';

/** A clock that stands still until it is moved. */
export function stillClock(at: string): Clock & { pass(seconds: number): void } {
  let now = Date.parse(at);
  return {
    now: () => new Date(now),
    pass: (seconds) => {
      now += seconds * 1000;
    },
  };
}

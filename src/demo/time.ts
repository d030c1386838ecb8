import type { Random } from './random';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Messages per hour of the day (UTC) relative to the busiest one. */
const HOURS = [
  0.06, 0.05, 0.04, 0.04, 0.06, 0.12, 0.3, 0.62, 0.9, 1, 0.97, 0.88, 0.66, 0.82, 0.94, 0.86, 0.7, 0.48, 0.34, 0.28,
  0.24, 0.2, 0.14, 0.09,
];
/** By day of the week, Sunday first. */
const DAYS = [0.42, 0.96, 1.05, 1, 0.98, 0.84, 0.48];

export function before(now: Date, ms: number): Date {
  return new Date(now.getTime() - ms);
}

export function after(at: Date, ms: number): Date {
  return new Date(at.getTime() + Math.round(ms));
}

/** About that long ago, during office hours (08:00 to 17:00 UTC). */
export function inOfficeHours(random: Random, now: Date, ageMs: number): Date {
  const at = before(now, ageMs);
  at.setUTCHours(random.int(8, 16), random.int(0, 59), random.int(0, 59), random.int(0, 999));
  return at < now ? at : before(at, DAY_MS);
}

/** Random times in the last days, oldest first: busy in office hours, quiet at night and on weekends. */
export function busyMoments(random: Random, now: Date, days: number, count: number): Date[] {
  const hours = Array.from({ length: days * 24 }, (_, index) => before(now, (index + 1) * HOUR_MS));
  const weights = hours.map((start) => (HOURS[start.getUTCHours()] ?? 0) * (DAYS[start.getUTCDay()] ?? 0));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const ends: number[] = [];
  weights.reduce((sum, weight, index) => {
    ends[index] = sum + weight;
    return sum + weight;
  }, 0);
  const moments = Array.from({ length: count }, () => {
    const start = hours[indexAbove(ends, random.next() * total)] as Date;
    return after(start, random.next() * HOUR_MS);
  });
  return moments.sort((one, other) => one.getTime() - other.getTime());
}

function indexAbove(ends: readonly number[], value: number): number {
  let [low, high] = [0, ends.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

import { Temporal } from 'temporal-polyfill';
import type { Granularity } from '../schema';

export const QUARTER_MS = 15 * 60_000;
export const HOUR_MS = 4 * QUARTER_MS;
export const DAY_MS = 24 * HOUR_MS;

export type TimeSpan = { start: Date; end: Date };
type Options = { granularity: Granularity; timezone: string; atMost: number };

/**
 * Splits a time span where hours, days, weeks or months start in a time zone. The first part starts with the span. Days
 * have 23 to 25 hours, and hours start at :30 or :45 UTC in some zones. @returns null if there are more than `atMost` parts
 */
export function pointStarts({ start, end }: TimeSpan, { granularity, timezone, atMost }: Options): Date[] | null {
  const next = stepper(granularity, timezone);
  const starts: Date[] = [];
  for (let at = start.getTime(); at < end.getTime(); at = next(at)) {
    if (starts.length === atMost) return null;
    starts.push(new Date(at));
  }
  return starts;
}

type Unit = Exclude<Granularity, '15m' | 'hour'>;

/** The start of the day, week or month. The first hour of a day may be missing, or occur twice. */
export function startOf(at: Temporal.ZonedDateTime, unit: Unit): Temporal.ZonedDateTime {
  const date = at.toPlainDate();
  if (unit === 'month') return dayStart(date.with({ day: 1 }), at.timeZoneId);
  return dayStart(unit === 'week' ? date.subtract({ days: date.dayOfWeek - 1 }) : date, at.timeZoneId);
}

function dayStart(date: Temporal.PlainDate, timeZone: string): Temporal.ZonedDateTime {
  return date.toZonedDateTime(timeZone).startOfDay();
}

/** @returns a function to the next start after a time */
function stepper(granularity: Granularity, timezone: string): (at: number) => number {
  const zoned = (at: number) => Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timezone);
  if (granularity === '15m') return (at) => at + QUARTER_MS - modulo(at, QUARTER_MS);
  if (granularity === 'hour') return hourStepper(zoned);
  return (at) =>
    startOf(zoned(at), granularity)
      .add({ [`${granularity}s`]: 1 })
      .startOfDay().epochMilliseconds;
}

/** With the offset of the time zone until its next change, because asking for each hour takes long. */
function hourStepper(zoned: (at: number) => Temporal.ZonedDateTime): (at: number) => number {
  let offsetMs = 0;
  let changesAt = Number.NEGATIVE_INFINITY;
  return (at) => {
    if (at >= changesAt) {
      const time = zoned(at);
      offsetMs = time.offsetNanoseconds / 1e6;
      changesAt = time.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
    }
    return at + HOUR_MS - modulo(at + offsetMs, HOUR_MS);
  };
}

function modulo(value: number, divisor: number): number {
  return ((value % divisor) + divisor) % divisor;
}

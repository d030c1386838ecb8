import { Temporal } from 'temporal-polyfill';
import { utcTimestamp } from '@/lib/time/entered-timestamp';
import { TIME_ERROR } from '@/lib/wire';
import { AppError } from '@/server/errors';
import { type AnalyticsPeriod, type GetAnalytics, GRANULARITIES, type Granularity, PERIODS } from '../schema';
import { DAY_MS, HOUR_MS, pointStarts, QUARTER_MS, startOf, type TimeSpan } from './points';

const MAX_POINTS = 3_000;
const MAX_YEARS = 100;

export type Range = TimeSpan & {
  period: AnalyticsPeriod;
  granularity: Granularity;
  timezone: string;
  /** The starts of the points of the series, of which the first is `start`. */
  points: Date[];
  previous: TimeSpan;
};

type Given = Pick<GetAnalytics, 'period' | 'start' | 'end' | 'granularity' | 'timezone'>;

/** @throws INVALID_PERIOD, naming what is wrong */
export function rangeOf(given: Given, now: Date): Range {
  const period = oneOf(PERIODS, 'period', given.period);
  const timezone = timeZoneOf(given.timezone);
  const span = period === 'custom' ? customSpan(given, now) : lastSpan(period, given, timezone, now);
  const granularity =
    given.granularity === undefined ? usualGranularity(span) : oneOf(GRANULARITIES, 'granularity', given.granularity);
  const points = pointStarts(span, { granularity, timezone, atMost: MAX_POINTS });
  if (!points) {
    const message = `Choose a shorter period or a coarser granularity: a series has at most ${MAX_POINTS} entries.`;
    throw invalidPeriod('granularity', message);
  }
  const lengthMs = span.end.getTime() - span.start.getTime();
  const previous = { start: new Date(span.start.getTime() - lengthMs), end: span.start };
  return { ...span, period, granularity, timezone, points, previous };
}

/** The same range for rows that are UTC hours: with the whole hour that it starts in. */
export function hourly(range: Range): Range {
  const [start, previousStart] = [range.start, range.previous.start].map(
    (at) => new Date(Math.floor(at.getTime() / HOUR_MS) * HOUR_MS),
  ) as [Date, Date];
  return { ...range, start, points: [start, ...range.points.slice(1)], previous: { start: previousStart, end: start } };
}

const HOURS = { '24h': 24 } as const;
const DAYS = { '7d': 7, '30d': 30, '90d': 90 } as const;

function lastSpan(period: Exclude<AnalyticsPeriod, 'custom'>, given: Given, timezone: string, now: Date): TimeSpan {
  for (const name of ['start', 'end'] as const) {
    if (given[name] !== undefined) throw invalidPeriod(name, `Set period to custom to use ${name}.`);
  }
  const end = roundUp(now);
  if (period === '24h') {
    return { start: new Date(Math.floor(now.getTime() / HOUR_MS) * HOUR_MS - HOURS[period] * HOUR_MS), end };
  }
  const today = Temporal.Instant.fromEpochMilliseconds(now.getTime()).toZonedDateTimeISO(timezone).startOfDay();
  const first = startOf(today.subtract({ days: DAYS[period] }), 'day');
  return { start: roundDown(new Date(first.epochMilliseconds)), end };
}

function customSpan(given: Given, now: Date): TimeSpan {
  if (!given.start) throw invalidPeriod('start', 'Enter the start of the custom period.');
  const start = roundDown(timeOf('start', given.start));
  const end = given.end ? roundUp(timeOf('end', given.end)) : roundUp(now);
  if (start > now) throw invalidPeriod('start', 'The period is in the future. Choose an earlier start.');
  if (end > roundUp(now))
    throw invalidPeriod('end', 'The end is in the future. Choose an earlier one, or leave it out.');
  if (start >= end) throw invalidPeriod('start', 'Choose a start before the end.');
  if (now.getTime() - start.getTime() > MAX_YEARS * 366 * DAY_MS) {
    throw invalidPeriod('start', `Choose a start in the last ${MAX_YEARS} years.`);
  }
  return { start, end };
}

function usualGranularity({ start, end }: TimeSpan): Granularity {
  const days = (end.getTime() - start.getTime()) / DAY_MS;
  if (days <= 0.25) return '15m';
  if (days <= 3) return 'hour';
  if (days <= 100) return 'day';
  return days <= 800 ? 'week' : 'month';
}

function timeOf(name: 'start' | 'end', text: string): Date {
  const utc = utcTimestamp(text);
  if (utc === null) throw invalidPeriod(name, TIME_ERROR);
  return new Date(utc);
}

/** @returns the name as time zones are listed */
function timeZoneOf(text: string): string {
  try {
    // Only names: an offset such as +02:00 has no daylight-saving time.
    if (/^[A-Za-z]/.test(text)) return Temporal.Instant.fromEpochMilliseconds(0).toZonedDateTimeISO(text).timeZoneId;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw invalidPeriod('timezone', 'Enter the name of an IANA time zone, such as Europe/Berlin.');
}

function oneOf<const Name extends string>(names: readonly Name[], path: string, text: string): Name {
  const name = names.find((candidate) => candidate === text);
  if (name) return name;
  throw invalidPeriod(path, `Enter one of: ${names.join(', ')}.`);
}

function roundDown(at: Date): Date {
  return new Date(Math.floor(at.getTime() / QUARTER_MS) * QUARTER_MS);
}

function roundUp(at: Date): Date {
  return new Date(Math.ceil(at.getTime() / QUARTER_MS) * QUARTER_MS);
}

function invalidPeriod(path: string, message: string): AppError {
  return new AppError('INVALID_PERIOD', `Invalid ${path}. ${message}`, { details: { fields: [{ path, message }] } });
}

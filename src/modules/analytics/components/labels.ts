import { formatCount, formatShare } from '@/lib/format';
import { zoneName } from '@/lib/time/time-zone';
import type { Analytics, AnalyticsPeriod, Dimension, Granularity } from '../schema';

const DAY_MS = 86_400_000;
const LOCALE = 'en-GB';

export const PERIOD_NAMES: Record<AnalyticsPeriod, string> = {
  '24h': '24 hours',
  '7d': '7 days',
  '30d': '30 days',
  '90d': '90 days',
  custom: 'Custom',
};

export const GRANULARITY_NAMES: Record<Granularity, string> = {
  '15m': '15 minutes',
  hour: 'Hour',
  day: 'Day',
  week: 'Week',
  month: 'Month',
};

export const DIMENSION_NAMES: Record<Dimension, string> = {
  domain: 'Domain',
  sender: 'Sender',
  recipient_domain: 'Recipient domain',
  provider: 'Provider',
  smtp_code: 'SMTP code',
  category: 'Reason',
  api_key: 'API key',
  tag: 'Tag',
};

/** The name as a choice, such as "By hour" or "By SMTP code". */
export function byName(name: string): string {
  return `By ${name.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase())}`;
}

export const PERCENTILES = { p50: 'Half within', p95: '95% within', p99: '99% within' } as const;

type Shown = Pick<Analytics, 'start' | 'end' | 'granularity' | 'timezone'>;

/** How the times of a series are written: below its chart, and in its table. */
export function timeLabels({ start, end, granularity, timezone: timeZone }: Shown) {
  const format = (fields: Intl.DateTimeFormatOptions) => {
    const formatter = new Intl.DateTimeFormat(LOCALE, { timeZone, ...fields });
    return (at: string) => formatter.format(new Date(at));
  };
  const isLong = Date.parse(end) - Date.parse(start) > 1.2 * DAY_MS;
  const clock = format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  const day = format({ day: 'numeric', month: 'short' });
  const isOldYear = new Date(start).getFullYear() !== new Date().getFullYear();
  const date = isOldYear ? format({ day: 'numeric', month: 'short', year: '2-digit' }) : day;
  if (granularity === '15m' || granularity === 'hour') {
    const row = isLong ? (at: string) => `${date(at)}, ${clock(at)}` : clock;
    return { tick: isLong ? day : clock, row, brief: row };
  }
  if (granularity === 'month') {
    const month = format({ month: 'short', year: 'numeric' });
    return { tick: month, row: month, brief: month };
  }
  const isMidnight = (at: string) => clock(at) === '00:00';
  const last = new Date(Date.parse(end) - 1).toISOString();
  // The first and the last day of a period that doesn't begin at midnight are parts of a day.
  const row = (at: string) => {
    if (granularity !== 'day') return date(at);
    if (date(at) === date(start) && !isMidnight(start)) return `${date(at)}, from ${clock(start)}`;
    if (date(at) !== date(last) || isMidnight(end)) return date(at);
    return `${date(at)}, ${Date.parse(end) > Date.now() ? 'so far' : `until ${clock(end)}`}`;
  };
  return { tick: day, row, brief: date };
}

/** For example "14 Nov to 21 Nov 2026, Berlin time", or "7 days and today, since 14 Nov 2026, Berlin time". */
export function describePeriod({ period, start, end, timezone: timeZone }: Shown & Pick<Analytics, 'period'>): string {
  const fields = { timeZone, day: 'numeric', month: 'short', year: 'numeric' } as const;
  const format = (at: string, more = {}) =>
    new Intl.DateTimeFormat(LOCALE, { ...fields, ...more }).format(new Date(at));
  const days = DAYS.exec(period)?.[1];
  if (days) return `${days} days and today, since ${format(start)} · ${zoneName(timeZone)}`;
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const hasClock = Date.parse(end) - Date.parse(start) < 3 * DAY_MS ? clock : {};
  const last = new Date(Date.parse(end) - (hasClock === clock ? 0 : 1)).toISOString();
  return `${format(start, hasClock)} to ${format(last, hasClock)} · ${zoneName(timeZone)}`;
}

/** The whole days before today. */
const DAYS = /^(\d+)d$/;

/** Why more failed than were sent, if so. */
export function notAcceptedText({ rejected }: Analytics['totals']): string | null {
  if (rejected === 0) return null;
  return rejected === 1
    ? '1 failed message was never accepted by your mail server, and isn’t counted as sent.'
    : `${formatCount(rejected)} failed messages were never accepted by your mail server, and aren’t counted as sent.`;
}

export function formatRate(rate: number | null): string {
  return rate === null ? '–' : formatShare(rate, 1);
}

/** Round times for the axis of a chart, from below the shortest to above the longest. */
export function secondTicks(times: readonly number[]): number[] {
  const [least, most] = [Math.min(...times), Math.max(...times)];
  const first = SECOND_TICKS.findLastIndex((tick) => tick <= least);
  const last = SECOND_TICKS.findIndex((tick) => tick >= most);
  return SECOND_TICKS.slice(Math.max(first, 0), last === -1 ? undefined : last + 1);
}

const SECOND_TICKS = [0.01, 0.1, 1, 10, 60, 600, 3600, 36_000, 360_000, 3_600_000];

export function formatTick(seconds: number): string {
  if (seconds < 1) return `${seconds * 1000} ms`;
  if (seconds < 60) return `${seconds} s`;
  return seconds < 3600 ? `${seconds / 60} min` : `${formatCount(seconds / 3600)} h`;
}

export function formatSeconds(seconds: number | null): string {
  if (seconds === null) return '–';
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${rounded(seconds)} s`;
  return seconds < 3600 ? `${rounded(seconds / 60)} min` : `${rounded(seconds / 3600)} h`;
}

/** Tenths below 10, such as 1.4, unless there are none. */
function rounded(value: number): string {
  return formatCount(value < 10 ? Math.round(value * 10) / 10 : Math.round(value));
}

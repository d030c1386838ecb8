import { currentTimeZone, zoneName } from './time/time-zone';

const LOCALE = 'en-GB';
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const CLOCK = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
const SECONDS = { ...CLOCK, second: '2-digit' } as const;
const LONG_DAY = { day: 'numeric', month: 'long', year: 'numeric' } as const;

const count = new Intl.NumberFormat(LOCALE);
const whole = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 0 });
const tenths = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 });

export function formatCount(value: number): string {
  return count.format(value);
}

export function formatPlural(value: number, one: string, many = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}

/** A part of a whole, such as 56.4%. 0% means none and 100% all. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '–';
  const share = (100 * part) / whole;
  if (share > 0 && share < 0.1) return '< 0.1%';
  if (share < 100 && share > 99.9) return '> 99.9%';
  return `${share.toFixed(share === 0 || share === 100 ? 0 : 1)}%`;
}

/** A KB has 1,024 bytes, an MB 1,024 KB, and so on: limits, quotas and settings count the same way. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Math.round(value) >= 1000 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${(unit > 1 && value < 100 ? tenths : whole).format(value)} ${UNITS[unit]}`;
}

export function formatDay(iso: string): string {
  return zoned(LONG_DAY, iso);
}

export function formatDate(iso: string, now = new Date()): string {
  return isSameYear(iso, now) ? dayMonth(iso) : dayMonthYear(iso);
}

export function formatClock(iso: string): string {
  return zoned(CLOCK, iso);
}

export function formatClockSeconds(iso: string): string {
  return zoned(SECONDS, iso);
}

export function formatClockMillis(iso: string): string {
  return zoned({ ...SECONDS, fractionalSecondDigits: 3 }, iso);
}

export function formatMoment(iso: string, now = new Date()): string {
  if (isSameDay(iso, now)) return zoned(SECONDS, iso);
  return isSameYear(iso, now) ? `${dayMonth(iso)} ${formatClock(iso)}` : dayMonthYear(iso);
}

/** The beginning or end of a range, which names its day even if that is today: 30 Nov 00:00. */
export function formatBound(iso: string, now = new Date()): string {
  return `${formatDate(iso, now)} ${formatClock(iso)}`;
}

/** Splits a time into the part that is always shown and the part that narrow columns hide. */
export function momentParts(iso: string, now = new Date()): { lead: string; rest: string } {
  const clock = formatClock(iso);
  if (isSameDay(iso, now)) return { lead: clock, rest: zoned(SECONDS, iso).slice(clock.length) };
  if (!isSameYear(iso, now)) return { lead: dayMonthYear(iso), rest: '' };
  return { lead: dayMonth(iso), rest: ` ${clock}` };
}

/** The exact time with its zone: 21 November 2026, 09:41:07 CET. */
export function formatFull(iso: string): string {
  return `${formatDay(iso)}, ${zoned({ ...SECONDS, timeZoneName: 'short' }, iso)}`;
}

/** A short distance from now: 59 min ago, 23 h ago, in 3 days. A date from a week on. */
export function formatAgo(iso: string, now = new Date()): string {
  const ms = now.getTime() - new Date(iso).getTime();
  if (Math.abs(ms) < MINUTE_MS) return ms < 0 ? 'in a moment' : 'just now';
  if (Math.abs(ms) >= 7 * DAY_MS) return formatDate(iso, now);
  return ms < 0 ? `in ${formatSpan(-ms)}` : `${formatSpan(ms)} ago`;
}

function formatSpan(ms: number): string {
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min`;
  return ms < DAY_MS ? `${Math.floor(ms / HOUR_MS)} h` : formatPlural(Math.floor(ms / DAY_MS), 'day');
}

export function formatDaysLeft(iso: string, now = new Date()): string {
  const days = Math.ceil((new Date(iso).getTime() - now.getTime()) / DAY_MS);
  return days <= 0 ? 'expired' : `in ${formatPlural(days, 'day')}`;
}

export function formatElapsed(fromIso: string, toIso: string): string {
  const ms = Math.max(0, new Date(toIso).getTime() - new Date(fromIso).getTime());
  if (ms < 1000) return `+${ms} ms`;
  const seconds = Math.round(ms / 1000);
  const minutes = Math.round(ms / MINUTE_MS);
  if (seconds < 60) return `+${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  if (seconds < 3600) return `+${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `+${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function formatStampDay(iso: string): string {
  return dayMonthYear(iso).toUpperCase();
}

export function formatZone(): string {
  return zoneName(currentTimeZone());
}

// British English abbreviates September with four letters; columns have room for three.
function dayMonth(iso: string): string {
  return `${zoned({ day: 'numeric' }, iso)} ${zoned({ month: 'short' }, iso, 'en-US')}`;
}

function dayMonthYear(iso: string): string {
  return `${dayMonth(iso)} ${zoned({ year: 'numeric' }, iso)}`;
}

function isSameDay(iso: string, now: Date): boolean {
  return formatDay(iso) === formatDay(now.toISOString());
}

function isSameYear(iso: string, now: Date): boolean {
  return zoned({ year: 'numeric' }, iso) === zoned({ year: 'numeric' }, now.toISOString());
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** A time in the zone of the console. Formatters are kept: to create one takes as long as hundreds of calls. */
function zoned(fields: Intl.DateTimeFormatOptions, iso: string, locale = LOCALE): string {
  const timeZone = currentTimeZone();
  const key = JSON.stringify([locale, timeZone, fields]);
  const formatter = formatters.get(key) ?? new Intl.DateTimeFormat(locale, { timeZone, ...fields });
  formatters.set(key, formatter);
  return formatter.format(new Date(iso));
}

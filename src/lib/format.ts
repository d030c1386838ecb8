const LOCALE = 'en-GB';
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB'] as const;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

const count = new Intl.NumberFormat(LOCALE);
const clock = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const clockSeconds = new Intl.DateTimeFormat(LOCALE, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
});
const clockMillis = new Intl.DateTimeFormat(LOCALE, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
});
// British English abbreviates September with four letters; columns have room for three.
const shortMonth = new Intl.DateTimeFormat('en-US', { month: 'short' });
const longDay = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'long', year: 'numeric' });

export function formatCount(value: number): string {
  return count.format(value);
}

export function formatPlural(value: number, one: string, many = `${one}s`): string {
  return `${formatCount(value)} ${value === 1 ? one : many}`;
}

export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1024;
    unit += 1;
  }
  const digits = unit > 1 && value < 100 ? 1 : 0;
  return `${value.toLocaleString(LOCALE, { maximumFractionDigits: digits })} ${UNITS[unit]}`;
}

export function formatDay(iso: string): string {
  return longDay.format(new Date(iso));
}

export function formatDate(iso: string, now = new Date()): string {
  const at = new Date(iso);
  return at.getFullYear() === now.getFullYear() ? dayMonth(at) : dayMonthYear(at);
}

export function formatClock(iso: string): string {
  return clock.format(new Date(iso));
}

export function formatClockMillis(iso: string): string {
  return clockMillis.format(new Date(iso));
}

export function formatMoment(iso: string, now = new Date()): string {
  const at = new Date(iso);
  if (at.toDateString() === now.toDateString()) return clockSeconds.format(at);
  return at.getFullYear() === now.getFullYear() ? `${dayMonth(at)} ${clock.format(at)}` : dayMonthYear(at);
}

/** Splits a time into the part that is always shown and the part that narrow columns hide. */
export function momentParts(iso: string, now = new Date()): { lead: string; rest: string } {
  const at = new Date(iso);
  if (at.toDateString() === now.toDateString()) {
    return { lead: clock.format(at), rest: clockSeconds.format(at).slice(clock.format(at).length) };
  }
  if (at.getFullYear() !== now.getFullYear()) return { lead: dayMonthYear(at), rest: '' };
  return { lead: dayMonth(at), rest: ` ${clock.format(at)}` };
}

export function formatFull(iso: string): string {
  const at = new Date(iso);
  return `${longDay.format(at)}, ${clockSeconds.format(at)}`;
}

export function formatAgo(iso: string, now = new Date()): string {
  const ms = now.getTime() - new Date(iso).getTime();
  if (ms < MINUTE_MS) return 'Just now';
  if (ms < HOUR_MS) return `${formatPlural(Math.floor(ms / MINUTE_MS), 'minute')} ago`;
  return ms < DAY_MS ? `${formatPlural(Math.floor(ms / HOUR_MS), 'hour')} ago` : formatMoment(iso, now);
}

/** A short age: 59 min ago, 27 h ago, 3 days ago. */
export function formatAge(iso: string, now = new Date()): string {
  const ms = now.getTime() - new Date(iso).getTime();
  if (ms < MINUTE_MS) return 'Just now';
  if (ms < HOUR_MS) return `${Math.floor(ms / MINUTE_MS)} min ago`;
  return ms < 2 * DAY_MS ? `${Math.floor(ms / HOUR_MS)} h ago` : `${Math.floor(ms / DAY_MS)} days ago`;
}

export function formatDaysLeft(iso: string, now = new Date()): string {
  const days = Math.ceil((new Date(iso).getTime() - now.getTime()) / DAY_MS);
  return days <= 0 ? 'expired' : `in ${formatPlural(days, 'day')}`;
}

export function formatElapsed(fromIso: string, toIso: string): string {
  const ms = Math.max(0, new Date(toIso).getTime() - new Date(fromIso).getTime());
  if (ms < 1000) return `+${ms} ms`;
  if (ms < MINUTE_MS) return `+${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  if (ms < HOUR_MS) return `+${Math.floor(ms / MINUTE_MS)} min ${Math.round((ms % MINUTE_MS) / 1000)} s`;
  return `+${Math.floor(ms / HOUR_MS)} h ${Math.round((ms % HOUR_MS) / MINUTE_MS)} min`;
}

export function formatStampDay(iso: string): string {
  return dayMonthYear(new Date(iso)).toUpperCase();
}

export function formatZone(): string {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  if (!zone || zone === 'UTC' || zone === 'Etc/UTC') return 'UTC';
  return `${zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ')} time`;
}

function dayMonth(at: Date): string {
  return `${at.getDate()} ${shortMonth.format(at)}`;
}

function dayMonthYear(at: Date): string {
  return `${dayMonth(at)} ${at.getFullYear()}`;
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export const INCOMPLETE_MOMENT = 'Enter a date and a time, such as 14:30.';

/** The text of a time in a time zone, such as 2026-11-29T21:43, as fields of a date and a time take it. */
export function inputValue(at: Date, timeZone: string): string {
  return new Date(at.getTime() + offsetMs(at, timeZone)).toISOString().slice(0, 16);
}

/** Whether a date and a time were entered, in full. */
function isMoment(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) && !Number.isNaN(Date.parse(`${text}Z`));
}

/** Whether something was entered, but no date and time in full. */
export function isIncompleteMoment(text: string): boolean {
  return text !== '' && !isMoment(text);
}

/** Joins the texts of a date's field and a time's: both separated by a T, or nothing if both are empty. */
export function joinMoment(date: string, clock: string): string {
  return date === '' && clock.trim() === '' ? '' : `${date}T${parseClock(clock) ?? clock.trim()}`;
}

export function splitMoment(moment: string): [date: string, clock: string] {
  const [date = '', clock = ''] = moment.split('T');
  return [date, clock];
}

/** A time of 24 hours as HH:MM, from how people type it: 9, 9:30, 9.30, 0930. Null if it is none. */
export function parseClock(text: string): string | null {
  const match = /^(\d{1,2})(?:[:.]?(\d{2}))?$/.exec(text.trim());
  if (!match) return null;
  const [hour, minute] = [Number(match[1]), Number(match[2] ?? 0)];
  if (hour > 23 || minute > 59) return null;
  return [hour, minute].map((part) => String(part).padStart(2, '0')).join(':');
}

/**
 * The time that was entered into such fields, in a time zone. Null if they are empty or not complete. A
 * time that the clocks repeat is the first of the two, and one that they skip is as much later as they are set forward.
 */
export function enteredTime(text: string, timeZone: string): Date | null {
  if (!isMoment(text)) return null;
  const local = Date.parse(`${text}Z`);
  const before = local - offsetMs(new Date(local - DAY_MS), timeZone);
  const after = local - offsetMs(new Date(local + DAY_MS), timeZone);
  const isShown = (at: number) => at + offsetMs(new Date(at), timeZone) === local;
  return new Date(isShown(before) || !isShown(after) ? before : after);
}

/** The midnight with which the day of a time begins in a time zone, or that of so many days before. */
export function startOfDay(at: Date, timeZone: string, daysBefore = 0): Date {
  const day = new Date(`${inputValue(at, timeZone).slice(0, 10)}T00:00Z`);
  day.setUTCDate(day.getUTCDate() - daysBefore);
  return enteredTime(day.toISOString().slice(0, 16), timeZone) as Date;
}

/** How far a time zone is ahead of UTC. */
function offsetMs(at: Date, timeZone: string): number {
  const parts = new Intl.DateTimeFormat('en-US', { ...FIELDS, timeZone }).formatToParts(at);
  const [year, month, day, hour, minute] = ['year', 'month', 'day', 'hour', 'minute'].map((name) =>
    Number(parts.find(({ type }) => type === name)?.value),
  ) as [number, number, number, number, number];
  const local = Date.UTC(year, month - 1, day, hour, minute);
  return local - Math.floor(at.getTime() / MINUTE_MS) * MINUTE_MS;
}

const FIELDS = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  hourCycle: 'h23',
} as const;

/** What a field of a date and one of a time have together: both separated by a T, or nothing if both are empty. */
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

const MINUTE_MS = 60_000;

/** The value of a datetime-local input for a time, in a time zone. */
export function inputValue(at: Date, timeZone: string): string {
  return new Date(at.getTime() + offsetMs(at, timeZone)).toISOString().slice(0, 16);
}

/** The time that was entered into a datetime-local input, in a time zone. Null if the input is empty. */
export function enteredTime(text: string, timeZone: string): Date | null {
  const local = Date.parse(`${text}Z`);
  if (Number.isNaN(local)) return null;
  const guess = local - offsetMs(new Date(local), timeZone);
  return new Date(local - offsetMs(new Date(guess), timeZone));
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

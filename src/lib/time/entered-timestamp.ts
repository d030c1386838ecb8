// Date and time as ISO 8601 and RFC 3339 have them, with the name of a zone behind it as in RFC 9557, which Java and Temporal
// write. In a query, a plus sign that wasn't encoded arrives as a space.
const TIME =
  /^(\d{4}-\d{2}-\d{2})[Tt ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?) ?([Zz]|([+ -])(\d{2})(?::?(\d{2}))?)(?:\[[\w/+-]{1,64}\])?$/;

/** Returns a time with any offset in UTC, as responses have it, or null if it isn't one. */
export function utcTimestamp(text: string): string | null {
  const [, day, clock, zone, sign, hours = '00', minutes = '00'] = TIME.exec(text) ?? [];
  if (day === undefined || clock === undefined || zone === undefined) return null;
  const offset = sign === undefined ? 'Z' : `${sign === '-' ? '-' : '+'}${hours}:${minutes}`;
  const at = new Date(`${day}T${clock.replace(',', '.')}${offset}`);
  if (Number.isNaN(at.getTime()) || !isDay(day)) return null;
  const utc = at.toISOString();
  return /^\d{4}-/.test(utc) && utc >= '0001' ? utc : null;
}

/** Whether the month has that day: Date takes 30 February for 2 March. */
function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}

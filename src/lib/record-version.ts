/**
 * Returns the version of a record: it changes with every field that its PATCH sets, and with nothing else. A field that the
 * record doesn't show is a password, which counts through `password_changed_at`. Server and console compute it alike, so that
 * the console has it for every row of a list.
 * @param fields of the PATCH; the id may be among them
 */
export function recordVersion(record: object, fields: readonly string[]): string {
  const values = record as Record<string, unknown>;
  const edited = fields.filter((field) => field !== 'id').toSorted();
  const shown = edited.filter((field) => Object.hasOwn(values, field));
  const counted = shown.length === edited.length ? shown : [...shown, 'password_changed_at'];
  return digest(counted.map((field) => [field, values[field]]));
}

/** Returns a short text that differs for values that differ. It protects nothing, and needs no `crypto.subtle`, which browsers have with https only. */
export function digest(values: unknown): string {
  const text = JSON.stringify(values);
  // cyrb53 by bryc (public domain), with all of its 64 bits.
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    one = Math.imul(one ^ code, 2654435761);
    two = Math.imul(two ^ code, 1597334677);
  }
  const first = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(two ^ (two >>> 13), 3266489909);
  const second = Math.imul(two ^ (two >>> 16), 2246822507) ^ Math.imul(first ^ (first >>> 13), 3266489909);
  return [first, second].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}

/** The entity tag of a version, for `ETag` and `If-Match`. */
export function entityTag(version: string): string {
  return `W/"${version}"`;
}

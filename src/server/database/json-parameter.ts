/** JSON for a parameter of a statement. Postgres stores neither NUL nor lone surrogates, so U+FFFD replaces them. */
export function jsonParameter(value: unknown): string {
  return JSON.stringify(value, (_, each) =>
    typeof each === 'string' ? each.toWellFormed().replaceAll('\0', '\ufffd') : each,
  );
}

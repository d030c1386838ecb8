/** Something the reader can mend: shown as its message alone, without a stack. */
export class PlainError extends Error {
  name = 'PlainError';
}

export function isPlain(error) {
  return error instanceof PlainError || error?.name === 'SettingsError';
}

/** An error that the user can fix: shown as its message only, without a stack. */
export class PlainError extends Error {
  /** @override */
  name = 'PlainError';
}

export function isPlain(error) {
  return (
    error instanceof PlainError ||
    ['SettingsError', 'UpgradeError', 'BackupError', 'ArchiveError'].includes(error?.name)
  );
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** Whether the system refused to write, because the disk, the quota or the file is full. */
export function isDiskFull(error: unknown): boolean {
  return FULL.has((error as { code?: unknown } | null)?.code);
}

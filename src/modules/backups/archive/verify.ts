import { type ArchiveSource, countRows, type Header, type ReadOptions } from './format';
import { progressOf } from './progress';
import { openArchive } from './read';

/**
 * Reads all of an archive, and compares it with its row counts and sums.
 * @throws ArchiveError
 */
export async function verifyArchive(
  source: ArchiveSource,
  { onProgress, signal }: ReadOptions = {},
): Promise<{ header: Header; rows: number }> {
  const { header, parts } = await openArchive(source, signal);
  const progress = progressOf(header.tables, onProgress);
  for await (const { table, bytes } of parts) progress.add(table, countRows(bytes));
  return { header, rows: progress.end() };
}

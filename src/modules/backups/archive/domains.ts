import type { ArchiveSource } from './format';
import { linesOf, valuesOf } from './lines';
import { openArchive } from './read';

const TABLE = 'domain';

/** The domains in an archive, also those that were deleted since. Reads it only as far as they are in it. */
export async function readDomains(
  source: ArchiveSource,
  signal?: AbortSignal,
): Promise<{ id: string; name: string }[]> {
  const { header, parts, close } = await openArchive(source, signal);
  const columns = header.tables.find(({ name }) => name === TABLE)?.columns ?? [];
  async function* chunks(): AsyncGenerator<Buffer> {
    let isFound = false;
    for await (const { table, bytes } of parts) {
      if (table === TABLE) yield bytes;
      else if (isFound) return;
      isFound ||= table === TABLE;
    }
  }
  try {
    const domains: { id: string; name: string }[] = [];
    for await (const line of linesOf(chunks())) {
      const values = valuesOf(line, columns.length);
      domains.push({ id: String(values[columns.indexOf('id')]), name: String(values[columns.indexOf('name')]) });
    }
    return domains;
  } finally {
    close();
  }
}

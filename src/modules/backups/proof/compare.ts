import { createHash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { copiedOut } from '../archive/copy';
import { countRows, type ReadOptions, type Table } from '../archive/format';
import type { Archive } from '../archive/read';
import { copyOut, SESSION_SETTINGS } from '../archive/tables';

/**
 * Reads back what was restored from an archive that was read to its end.
 * @returns how the first table that differs does; null if none does
 */
export async function compareWithManifest(
  client: ClientBase,
  { header, manifest }: Archive,
  { onProgress, signal }: ReadOptions,
): Promise<string | null> {
  const expected = manifest();
  const total = header.tables.length * 2;
  await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
  try {
    await client.query(SESSION_SETTINGS);
    let rows = 0;
    for (const [index, table] of header.tables.entries()) {
      const found = await readTable(client, table, signal);
      rows += found.rows;
      const { name } = table;
      if (found.rows !== expected[name]?.rows)
        return `After the restore, ${name} has ${found.rows} rows instead of ${expected[name]?.rows}.`;
      if (found.sha256 !== expected[name].sha256)
        return `After the restore, ${name} has other values than the archive.`;
      onProgress?.({ table: name, tables: { done: header.tables.length + index + 1, total }, rows });
    }
    return null;
  } finally {
    await client.query('ROLLBACK');
  }
}

async function readTable(client: ClientBase, table: Table, signal?: AbortSignal) {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const chunk of copiedOut(client, await copyOut(client, table))) {
    signal?.throwIfAborted();
    hash.update(chunk);
    rows += countRows(chunk);
  }
  return { rows, sha256: hash.digest('hex') };
}

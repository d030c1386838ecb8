import type { Tx } from '@/server/database/db';
import { Prisma } from '@/server/prisma/client';

const ROWS_AT_ONCE = 2_000;

/**
 * Inserts many rows with one parameter per statement, several times faster than a client that binds each value.
 * @param rows by column name, all with the same columns
 */
export async function insertRows(tx: Tx, table: string, rows: readonly object[]): Promise<void> {
  const [first] = rows;
  if (!first) return;
  const [name, columns] = [Prisma.raw(`"${table}"`), Prisma.raw(Object.keys(first).map(quoted).join(', '))];
  for (let start = 0; start < rows.length; start += ROWS_AT_ONCE) {
    const json = JSON.stringify(rows.slice(start, start + ROWS_AT_ONCE));
    await tx.$executeRaw`
      INSERT INTO ${name} (${columns}) SELECT ${columns} FROM json_populate_recordset(NULL::${name}, ${json}::json)`;
  }
}

function quoted(column: string): string {
  return `"${column}"`;
}

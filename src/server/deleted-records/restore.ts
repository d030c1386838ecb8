import type { Tx } from '../database/db';
import { notFound } from '../errors';
import type { Prisma } from '../prisma/client';
import { KEPT_TABLES } from './tables';

/** A record that was deleted, without its rows. */
export type DeletedRecord = Prisma.DeletedRecordGetPayload<object>;

/** Returns the row of a deleted record, by the columns of its table. @throws NOT_FOUND if it is no longer kept */
export async function keptRow<Row>(db: Tx, { id }: Pick<DeletedRecord, 'id'>): Promise<Row> {
  const kept = await db.deletedRow.findFirst({ where: { recordId: id }, orderBy: { position: 'asc' } });
  if (!kept) throw notFound('deleted record');
  return kept.row as Row;
}

/** Each batch is a statement, which takes a few seconds at most. */
const BATCH_SIZE = 20_000;

/**
 * Inserts the rows of a deleted record again, with their ids, and no longer keeps them. Columns that a later version added get
 * their default. @param without names of tables whose rows don't come back
 * @throws NOT_FOUND if another call has restored it, and the errors of the constraints
 */
export async function restoreRows(
  tx: Tx,
  { id, kind }: Pick<DeletedRecord, 'id' | 'kind'>,
  without: readonly string[] = [],
): Promise<void> {
  const locked = await tx.$queryRaw<unknown[]>`SELECT 1 FROM deleted_record WHERE id = ${id}::uuid FOR UPDATE`;
  if (locked.length === 0) throw notFound('deleted record');
  for (const { name: table, restorable = 'true', isKeptIfExisting } of KEPT_TABLES[kind]) {
    if (without.includes(table)) continue;
    const columns = await tx.$queryRaw<{ name: string }[]>`
      SELECT a.attname::text AS name
        FROM pg_attribute a,
             (SELECT "row" FROM deleted_row WHERE record_id = ${id}::uuid AND "table" = ${table} LIMIT 1) AS kept
       WHERE a.attrelid = ${`"${table}"`}::regclass AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
         AND kept."row" ? a.attname::text`;
    if (columns.length === 0) continue;
    const listed = (prefix: string) => columns.map(({ name }) => `${prefix}"${name}"`).join(', ');
    const { first, last } = await positionsOf(tx, id, table);
    for (let from = first; from <= last; from += BATCH_SIZE) {
      // A row that another transaction deletes at the same time isn't returned, and so isn't inserted.
      await tx.$executeRawUnsafe(
        `WITH taken AS (
           DELETE FROM deleted_row kept
            WHERE kept.record_id = $1::uuid AND kept."table" = '${table}' AND kept.position BETWEEN $2 AND $3 AND ${restorable}
           RETURNING kept."row")
         INSERT INTO "${table}" (${listed('')})
         SELECT ${listed('restored.')} FROM taken, LATERAL jsonb_populate_record(NULL::"${table}", taken."row") AS restored
         ${isKeptIfExisting ? 'ON CONFLICT DO NOTHING' : ''}`,
        ...[id, from, from + BATCH_SIZE - 1],
      );
    }
  }
  await tx.deletedRecord.delete({ where: { id }, select: { id: true } });
}

async function positionsOf(tx: Tx, recordId: string, table: string): Promise<{ first: number; last: number }> {
  const { _min, _max } = await tx.deletedRow.aggregate({
    where: { recordId, table },
    _min: { position: true },
    _max: { position: true },
  });
  return { first: _min.position ?? 0, last: _max.position ?? -1 };
}

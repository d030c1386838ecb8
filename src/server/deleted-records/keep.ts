import type { Tx } from '../database/db';
import { notFound } from '../errors';
import type { DeletedRecordKind } from '../prisma/client';
import type { ActorContext } from '../procedures/context';
import { KEPT_TABLES } from './tables';

type DeletedRecordFacts = {
  kind: DeletedRecordKind;
  id: string;
  /** The record's name in the list of deleted records. */
  name: string;
  domainId: string | null;
};

/**
 * Keeps the rows of a record, so that it can be restored, and locks them. Call it in the transaction that deletes the record, before
 * the deletion. @throws NOT_FOUND if another call has deleted the record
 */
export async function keepDeleted({ actor, clock }: ActorContext, tx: Tx, record: DeletedRecordFacts): Promise<void> {
  const { kind, id, name, domainId } = record;
  // A change in progress commits before the rows are copied.
  const locked = await tx.$queryRawUnsafe<unknown[]>(`SELECT 1 FROM "${kind}" WHERE id = $1::uuid FOR UPDATE`, id);
  if (locked.length === 0) throw notFound(kind === 'sieve_filter' ? 'filter' : kind);
  // A backup that was restored since may have brought the record back, and left what was kept of it.
  await tx.$executeRaw`
    INSERT INTO deleted_record (id, kind, name, domain_id, deleted_at, deleted_by_id, deleted_by_email)
    VALUES (${id}::uuid, ${kind}::deleted_record_kind, ${name}, ${domainId}::uuid, ${clock.now()}, ${actor.admin.id}::uuid,
            ${actor.admin.email})
        ON CONFLICT (id) DO UPDATE
       SET kind = excluded.kind, name = excluded.name, domain_id = excluded.domain_id, deleted_at = excluded.deleted_at,
           deleted_by_id = excluded.deleted_by_id, deleted_by_email = excluded.deleted_by_email`;
  await tx.deletedRow.deleteMany({ where: { recordId: id } });
  for (const { name: table, ofRecord } of KEPT_TABLES[kind]) {
    await tx.$executeRawUnsafe(
      `INSERT INTO deleted_row (record_id, position, "table", "row")
       SELECT $1::uuid, (SELECT count(*) FROM deleted_row WHERE record_id = $1::uuid) + row_number() OVER (), '${table}',
              to_jsonb(kept)
         FROM (SELECT * FROM "${table}" WHERE ${ofRecord} FOR UPDATE) AS kept`,
      id,
    );
  }
}

type Limit = Pick<DeletedRecordFacts, 'kind' | 'id'> & { domainId: string; maxBytes: number };

/**
 * Forgets the oldest deleted records of a kind and domain beyond a size, but never the one with this ID, whatever the clock of an
 * instance. @returns how many
 */
export async function keepNewest(tx: Tx, { kind, id, domainId, maxBytes }: Limit): Promise<number> {
  // Sizes as stored, for which no row is read whole.
  return tx.$executeRaw`
    WITH kept AS (
      SELECT id, sum(bytes) OVER newest AS total
        FROM deleted_record d,
             LATERAL (SELECT coalesce(sum(pg_column_size("row")), 0) AS bytes FROM deleted_row WHERE record_id = d.id) AS stored
       WHERE domain_id = ${domainId}::uuid AND kind = ${kind}::deleted_record_kind
      WINDOW newest AS (ORDER BY id <> ${id}::uuid, deleted_at DESC, id DESC)
    )
    DELETE FROM deleted_record
     WHERE id IN (SELECT id FROM kept WHERE id <> ${id}::uuid AND total > ${maxBytes})`;
}

/**
 * Forgets which deleted domains an admin was assigned to, so that restoring one doesn't give access back that was taken meanwhile.
 * Call it after the change of the admin's assignments, with the admin's row locked.
 */
export async function forgetAssignments(tx: Tx, adminId: string): Promise<void> {
  await tx.$executeRaw`DELETE FROM deleted_row WHERE "table" = 'admin_domain' AND "row"->>'admin_id' = ${adminId}`;
}

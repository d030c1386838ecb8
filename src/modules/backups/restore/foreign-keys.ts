import type { ClientBase } from 'pg';
import { quoted } from '../archive/tables';

type ForeignKey = { table: string; referenced: string; name: string; definition: string };

/** From and to these tables, which refer to each other in circles. */
export async function findForeignKeys(client: ClientBase, tables: readonly string[]): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `SELECT t.relname::text AS table, r.relname::text AS referenced, conname::text AS name,
            pg_get_constraintdef(k.oid) AS definition
       FROM pg_constraint k JOIN pg_class t ON t.oid = conrelid JOIN pg_class r ON r.oid = confrelid
      WHERE contype = 'f' AND conparentid = 0 AND connamespace = 'public'::regnamespace
        AND (t.relname = ANY ($1) OR r.relname = ANY ($1)) ORDER BY 1, 3`,
    [tables],
  );
  return rows;
}

export async function dropForeignKeys(client: ClientBase, keys: readonly ForeignKey[]): Promise<void> {
  const drops = keys.map(({ table, name }) => `ALTER TABLE ${quoted(table)} DROP CONSTRAINT ${quoted(name)}`);
  await client.query(drops.join('; '));
}

/** Checks all rows. */
export async function addForeignKeys(client: ClientBase, keys: readonly ForeignKey[]): Promise<void> {
  const additions = keys.map(
    ({ table, name, definition }) => `ALTER TABLE ${quoted(table)} ADD CONSTRAINT ${quoted(name)} ${definition}`,
  );
  await client.query(additions.join('; '));
}

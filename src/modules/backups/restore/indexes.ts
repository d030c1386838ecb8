import type { ClientBase } from 'pg';
import { quoted } from '../archive/tables';

/**
 * For an index of 5,000,000 rows. Without parallel workers, whose shared memory a container often has no room for.
 */
const BUILD_SETTINGS = `
  SELECT set_config('maintenance_work_mem', '256MB', true)
   WHERE pg_size_bytes(current_setting('maintenance_work_mem')) < pg_size_bytes('256MB');
  SET LOCAL max_parallel_maintenance_workers = 0`;

type Index = { table: string; name: string; definition: string };

export type DroppedIndexes = {
  /** Builds those of a table again, which is faster than to add each row to them. */
  build: (table: string) => Promise<void>;
  buildAll: () => Promise<void>;
};

/**
 * Drops the indexes of tables that are about to be filled. Those of primary keys stay, because rows come in their order, and
 * so does one with something that its definition does not have.
 */
export async function dropIndexes(client: ClientBase, tables: readonly string[]): Promise<DroppedIndexes> {
  const { rows } = await client.query<Index>(
    `SELECT t.relname::text AS table, c.relname::text AS name, pg_get_indexdef(c.oid) AS definition
       FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
      WHERE t.relnamespace = 'public'::regnamespace AND t.relname = ANY ($1) AND NOT t.relispartition
        AND i.indisvalid AND NOT i.indisprimary AND NOT i.indisclustered AND NOT i.indisreplident AND c.reltablespace = 0
        AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = c.oid)
        AND obj_description(c.oid, 'pg_class') IS NULL
        AND NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attstattarget > 0)
      ORDER BY 1, 2`,
    [tables],
  );
  const dropped = new Map<string, string[]>();
  for (const { table, definition } of rows) dropped.set(table, [...(dropped.get(table) ?? []), definition]);
  if (rows.length > 0) await client.query(`DROP INDEX ${rows.map(({ name }) => quoted(name)).join(', ')}`);
  await client.query(BUILD_SETTINGS);
  const build = async (table: string) => {
    for (const definition of dropped.get(table) ?? []) await client.query(definition);
    dropped.delete(table);
  };
  return {
    build,
    buildAll: async () => {
      for (const table of [...dropped.keys()]) await build(table);
    },
  };
}

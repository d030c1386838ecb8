import { expect, it } from 'vitest';
import { backUp, connect, hashOf, makeDatabase, sourceOf } from '@/test/backups';
import { makeAlias, makeDomain } from '@/test/factories';
import { proveArchive } from '../proof/prove';
import { previewRestore, restore } from '../restore/restore';
import { findContents, OWN_SEQUENCES, OWN_TABLES } from './contents';
import { openArchive } from './read';
import { CLEARED_BY_RESTORE, OF_INSTANCES } from './tables';

const source = await connect(String(process.env.DATABASE_URL));
const other = await makeDatabase();

it('the tables and columns of the schema are those of a migrated database', async () => {
  const { rows } = await source.query<{ name: string; columns: string[] }>(
    `SELECT relname::text AS name, array_agg(attname::text ORDER BY attname COLLATE "C") AS columns
       FROM pg_class c JOIN pg_attribute ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
      WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition GROUP BY c.oid`,
  );
  const own = rows.filter(({ name }) => name !== '_prisma_migrations');
  expect(OWN_TABLES, 'names are those of models and fields in snake_case').toEqual(
    Object.fromEntries(own.map(({ name, columns }) => [name, columns])),
  );
  const sequences = await source.query(
    "SELECT sequencename::text AS name FROM pg_sequences WHERE schemaname = 'public'",
  );
  expect(sequences.rows.map(({ name }) => name)).toEqual(expect.arrayContaining([...OWN_SEQUENCES]));
  expect(sequences.rowCount).toBe(OWN_SEQUENCES.length);
  expect((await findContents(source)).tables.map(({ name }) => name).toSorted()).toEqual(archivedNames());
});

function archivedNames(): string[] {
  return Object.keys(OWN_TABLES)
    .filter((name) => ![...OF_INSTANCES, ...CLEARED_BY_RESTORE].includes(name))
    .toSorted();
}

it('tables and columns of others are named and not archived, and a restore leaves such tables as they are', async () => {
  const { id } = await makeDomain({ name: 'a.example' });
  await makeAlias(id, 'hello', 'ann@a.example');
  for (const client of [source, other.client])
    await client.query(`
      CREATE TABLE "Notes 2026" (id serial PRIMARY KEY, text text);
      INSERT INTO "Notes 2026" (text) VALUES ('hello');
      CREATE TABLE spatial_ref_sys (text text);
      ALTER TABLE domain ADD COLUMN "Remark" text`);
  await other.client.query(`INSERT INTO "Notes 2026" (text) VALUES ('only here')`);
  const bytes = await backUp(source);
  const archive = await openArchive(sourceOf(bytes));
  archive.close();
  expect(archive.header.left_out.toSorted()).toEqual(['Notes 2026', 'domain.Remark', 'spatial_ref_sys']);
  expect(archive.header.tables.map(({ name }) => name).toSorted()).toEqual(archivedNames());

  const proof = await proveArchive(String(process.env.DATABASE_URL), sourceOf(bytes));
  expect(proof.isProven).toBe(true);
  expect(proof.message).toMatch(/Not in it, because Postroom did not make them: .*domain\.Remark/);

  const before = await hashOf(other.client);
  await restore(other.client, sourceOf(bytes));
  const after = await hashOf(other.client);
  expect(after['Notes 2026']).toBe(before['Notes 2026']);
  expect(after.alias).toMatch(/^1 /);
  const differences = await previewRestore(other.client, sourceOf(bytes));
  expect(differences.filter(({ added, changed, removed }) => added + changed + removed > 0)).toEqual([]);
});

it('a database of another version is archived with all of its tables, whatever their names', async () => {
  const { client } = await makeDatabase();
  await client.query(`CREATE TABLE "Later2" (id integer PRIMARY KEY); INSERT INTO "Later2" VALUES (1);
    INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('x', 'x', '20990101000000_later', now())`);
  const bytes = await backUp(client);
  const before = await hashOf(client);
  await client.query('DELETE FROM "Later2"');
  await restore(client, sourceOf(bytes));
  expect(await hashOf(client)).toEqual(before);
});

import type { ClientBase } from 'pg';
import { findMigrations, type Migration, readMigrations } from '@/server/migrations/migrations.mjs';
import { Prisma } from '@/server/prisma/client';
import type { Header, Table } from './format';
import { findTables } from './tables';

export type Contents = Pick<Header, 'migrations' | 'tables' | 'sequences'> & {
  /** Tables, and columns as `table.column`, that someone else added to the database. */
  foreign: string[];
};

/** Returns the contents that an archive of this database has. */
export async function findContents(client: ClientBase): Promise<Contents> {
  const migrations = (await findMigrations(client)).map(named);
  const tables = await findTables(client);
  const sequences = await findSequences(client);
  const known = (await readMigrations()).map(named);
  // While versions change, only the database knows its tables.
  if (JSON.stringify(migrations) !== JSON.stringify(known)) return { migrations, tables, sequences, foreign: [] };
  return {
    migrations,
    tables: tables.filter(({ name }) => isOwn(name)).map(withOwnColumns),
    sequences: Object.fromEntries(Object.entries(sequences).filter(([name]) => OWN_SEQUENCES.includes(name))),
    foreign: tables.flatMap(({ name, columns }) => {
      if (!isOwn(name)) return [name];
      return columns.filter((column) => !ownColumns(name).includes(column)).map((column) => `${name}.${column}`);
    }),
  };
}

function named({ name, checksum }: Migration): Pick<Migration, 'name' | 'checksum'> {
  return { name, checksum };
}

function isOwn(table: string): boolean {
  return Object.hasOwn(OWN_TABLES, table);
}

function ownColumns(table: string): readonly string[] {
  return OWN_TABLES[table] ?? [];
}

function withOwnColumns(table: Table): Table {
  const own = ownColumns(table.name);
  return { ...table, columns: table.columns.filter((column) => own.includes(column)) };
}

async function findSequences(client: ClientBase): Promise<Header['sequences']> {
  const { rows } = await client.query<{ name: string; last: string }>(
    `SELECT sequencename::text AS name, last_value::text AS last FROM pg_sequences
      WHERE schemaname = 'public' AND last_value IS NOT NULL`,
  );
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]));
}

/** The columns of each table of the schema, in alphabetical order. Other tables of the database are someone else's. */
export const OWN_TABLES: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(Prisma.ModelName).map((model) => [
    inDatabase(model),
    Object.keys(Prisma[`${model}ScalarFieldEnum`]).map(inDatabase).toSorted(),
  ]),
);

export const OWN_SEQUENCES: readonly string[] = ['event_sequence', 'analytics_change_id_seq'];

/** A test compares these names with those of the database. */
function inDatabase(name: string): string {
  return name.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '_').toLowerCase();
}

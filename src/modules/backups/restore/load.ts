import type { ClientBase } from 'pg';
import { formatPlural } from '@/lib/format';
import { resealSecrets } from '@/server/secrets/reseal';
import { countRows, type ReadOptions, type Table } from '../archive/format';
import { progressOf } from '../archive/progress';
import type { Archive } from '../archive/read';
import { CLEARED_BY_RESTORE, listed, quoted, SESSION_SETTINGS } from '../archive/tables';
import { type AuditPlan, type AuditResult, keptText, planAuditLog } from './audit-log';
import { openCopy } from './copy-in';
import { type DroppedIndexes, dropIndexes } from './indexes';
import { lockTables } from './lock-tables';

export type LoadOptions = ReadOptions & {
  /** Runs in the transaction, when everything else is done. */
  record?: (result: LoadResult) => Promise<void>;
};

export type LoadResult = {
  rows: number;
  /** Stored secrets that no key opens. */
  unopened: number;
  /** Sentences about data that was not restored as it was, each with the reason. */
  leftOut: string[];
  /** Null if only a domain was restored. */
  audit: AuditResult | null;
};

/**
 * Replaces what is in the database by what is in the archive, in one transaction: whatever fails, nothing has changed. The
 * app waits meanwhile. All sessions end, and what the archive's keys sealed is sealed with the current one. Entries of the
 * audit log stay.
 * @throws ArchiveError
 */
export async function loadArchive(
  client: ClientBase,
  archive: Archive,
  { onProgress, record, signal }: LoadOptions = {},
): Promise<LoadResult> {
  await client.query('BEGIN');
  try {
    const plan = await planAuditLog(client, archive);
    const rows = await replaceRows(client, archive, { ...plan, onProgress, signal });
    const audit = await plan.complete();
    // A position in the log of the database of that time, see src/server/replica.
    await client.query('UPDATE api_key SET written_to = NULL WHERE written_to IS NOT NULL');
    const { unopened } = await resealSecrets(
      (text, values) => client.query(text, values).then((result) => result.rows),
      archive.secrets.secret_keys,
    );
    const held = await holdScheduled(client);
    const leftOut = [keptText(audit.kept), heldText(held)].filter((sentence) => sentence !== '');
    const result = { rows, unopened, leftOut, audit };
    await record?.(result);
    signal?.throwIfAborted();
    await client.query('COMMIT');
    return result;
  } catch (error) {
    archive.close();
    // A connection that has ended is rolled back by Postgres.
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Fills a database that nobody uses yet with what is in an archive, as it is. @returns the number of rows */
export async function loadAll(client: ClientBase, archive: Archive, options: ReadOptions): Promise<number> {
  await client.query('BEGIN');
  const rows = await replaceRows(client, archive, options);
  await client.query('COMMIT');
  return rows;
}

/** Puts the rows of an archive in the place of those of a database, inside a transaction. @returns how many */
async function replaceRows(
  client: ClientBase,
  archive: Archive,
  { untouched = [], prepare, onProgress, signal }: ReadOptions & Partial<AuditPlan>,
): Promise<number> {
  await client.query(SESSION_SETTINGS);
  const archived = archive.header.tables.map(({ name }) => name).filter((name) => !untouched.includes(name));
  const names = [...archived, ...(await findEnded(client))];
  const keys = await findForeignKeys(client, names);
  const others = keys.flatMap(({ table, referenced }) => [table, referenced]);
  await lockTables(client, [...new Set([...names, ...others])], { mode: 'ACCESS EXCLUSIVE', signal });
  await prepare?.();
  await dropForeignKeys(client, keys);
  await setTriggers(client, names, 'DISABLE');
  await client.query(`TRUNCATE ${listed(names)}`);
  const indexes = await dropIndexes(client, names);
  const rows = await loadRows(client, archive, { untouched, indexes, onProgress });
  await indexes.buildAll();
  await setSequences(client, archive.header.sequences);
  await addForeignKeys(client, keys);
  await setTriggers(client, names, 'ENABLE');
  return rows;
}

/** Returns the tables of CLEARED_BY_RESTORE that exist: a database of an older version may have fewer. */
async function findEnded(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(quote_ident(name)) IS NOT NULL',
    [CLEARED_BY_RESTORE],
  );
  return rows.map(({ name }) => name);
}

async function loadRows(
  client: ClientBase,
  { header, parts }: Archive,
  {
    untouched,
    indexes,
    onProgress,
  }: { untouched: readonly string[]; indexes: DroppedIndexes; onProgress: ReadOptions['onProgress'] },
): Promise<number> {
  const progress = progressOf(header.tables, onProgress);
  const tables = new Map(header.tables.map((table) => [table.name, table]));
  let open: ReturnType<typeof openCopy> | null = null;
  const finish = async () => {
    if (!open) return;
    await open.end();
    await indexes.build(open.name);
  };
  try {
    for await (const { table, bytes } of parts) {
      if (!untouched.includes(table)) {
        if (open?.name !== table) {
          await finish();
          open = openCopy(client, tables.get(table) as Table);
        }
        await open.write(bytes);
      }
      progress.add(table, countRows(bytes));
    }
  } catch (error) {
    open?.abort();
    throw error;
  }
  await finish();
  return progress.end();
}

/** Ours, such as those that count messages or keep the audit log from being changed. */
async function setTriggers(client: ClientBase, names: string[], verb: 'ENABLE' | 'DISABLE'): Promise<void> {
  await client.query(names.map((name) => `ALTER TABLE ${quoted(name)} ${verb} TRIGGER USER`).join('; '));
}

async function setSequences(client: ClientBase, sequences: Record<string, string>): Promise<void> {
  // Never backwards: consumers of events rely on growing numbers.
  for (const [name, last] of Object.entries(sequences))
    await client.query(
      `SELECT setval(quote_ident(sequencename)::regclass, greatest($2::bigint, last_value))
         FROM pg_sequences WHERE schemaname = 'public' AND sequencename = $1`,
      [name, last],
    );
}

type ForeignKey = { table: string; referenced: string; name: string; definition: string };

/** From and to these tables, which refer to each other in circles. */
async function findForeignKeys(client: ClientBase, tables: readonly string[]): Promise<ForeignKey[]> {
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

async function dropForeignKeys(client: ClientBase, keys: readonly ForeignKey[]): Promise<void> {
  const drops = keys.map(({ table, name }) => `ALTER TABLE ${quoted(table)} DROP CONSTRAINT ${quoted(name)}`);
  await client.query(drops.join('; '));
}

/** Checks all rows. */
async function addForeignKeys(client: ClientBase, keys: readonly ForeignKey[]): Promise<void> {
  const additions = keys.map(
    ({ table, name, definition }) => `ALTER TABLE ${quoted(table)} ADD CONSTRAINT ${quoted(name)} ${definition}`,
  );
  await client.query(additions.join('; '));
}

/** Holds the scheduled messages of an archive (the SQL function hold_scheduled). @returns how many */
async function holdScheduled(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ held: number }>('SELECT hold_scheduled() AS held');
  return rows[0]?.held ?? 0;
}

function heldText(count: number): string {
  if (count === 0) return '';
  const messages = formatPlural(count, 'scheduled message');
  return count === 1
    ? `${messages} is held, because it may have been sent since. Reschedule it to send it.`
    : `${messages} are held, because they may have been sent since. Reschedule them to send them.`;
}

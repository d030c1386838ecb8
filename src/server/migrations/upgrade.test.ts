import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { connect, makeDatabase } from '@/test/backups';
import { checkIsMigrated, migrate } from '../../../scripts/postgres/database.mjs';
import { isRevised } from '../../../scripts/postgres/function-revision.mjs';
import { FUNCTIONS, readFunctions } from './function-files.mjs';
import { readMigrations } from './migrations.mjs';

const own = process.cwd();
const { revision } = await readFunctions();
const migrations = await readMigrations();

type Files = Record<string, string | null>;
let database: Awaited<ReturnType<typeof makeDatabase>>;

beforeEach(async () => {
  database = await makeDatabase();
});

const rowsOf = async (sql: string, values: unknown[] = []) => (await database.client.query(sql, values)).rows;
const oneOf = async (sql: string) => Object.values((await rowsOf(sql))[0] ?? {})[0];
const start = (root = own) => migrate(root, database.url);

/** The text of a file of prisma/functions. */
const textOf = (name: string) => readFileSync(path.join(FUNCTIONS, `${name}.sql`), 'utf8');

/**
 * Makes another version of Postroom: its functions are those of this one with other files, or without those that are null.
 * @returns its root
 */
function makeVersion({ files = {}, newer = 1, sql }: { files?: Files; newer?: number; sql?: string }): string {
  const root = mkdtempSync(path.join(tmpdir(), 'postroom-test-version-'));
  afterAll(() => rmSync(root, { recursive: true }));
  cpSync('prisma', path.join(root, 'prisma'), { recursive: true });
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(root, FUNCTIONS, `${name}.sql`);
    if (text === null) rmSync(file);
    else writeFileSync(file, text);
  }
  writeFileSync(path.join(root, FUNCTIONS, 'revision.json'), JSON.stringify({ revision: revision + newer }));
  const folder = path.join(root, 'prisma', 'migrations', '20990101000000_later');
  if (sql !== undefined) {
    mkdirSync(folder);
    writeFileSync(path.join(folder, 'migration.sql'), sql);
  }
  return root;
}

const CATALOG = `
  SELECT concat(pg_get_functiondef(p.oid), p.proacl) AS line FROM pg_proc p
   WHERE pronamespace IN ('public'::regnamespace, 'mta'::regnamespace)
     AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = p.oid AND deptype = 'e')
  UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT concat(c.oid::regclass, pg_get_viewdef(c.oid), c.relacl) FROM pg_class c
   WHERE relkind = 'v' AND relnamespace IN ('public'::regnamespace, 'mta'::regnamespace)
  ORDER BY 1`;
const catalog = async () => (await rowsOf(CATALOG)).map(({ line }) => line as string);

const bin = (returned: string) => `-- A bin.
CREATE OR REPLACE FUNCTION analytics_bin(took interval) RETURNS ${returned} LANGUAGE sql IMMUTABLE RETURN 7::${returned};`;

describe('an upgrade', () => {
  it('of an empty database by two instances at once is made once, and like that of one', async () => {
    const expected = await catalog();
    database = await makeDatabase('template0');
    const counts = await Promise.all([start(), start()]);
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, migrations.length]);
    expect(await catalog()).toEqual(expected);
    expect(expected.length).toBeGreaterThan(80);
  });

  it('applies files that changed, and no others', async () => {
    const xmin = "SELECT xmin::text FROM pg_proc WHERE proname = 'search_key'";
    const before = await oneOf(xmin);
    expect(await start(makeVersion({ files: { 'counting/analytics_bin': bin('smallint') } }))).toBe(0);
    expect(await oneOf("SELECT analytics_bin('1 hour')")).toBe(7);
    expect(await oneOf(xmin)).toBe(before);
  });

  it('drops what a file no longer makes, and what a file that is gone made', async () => {
    const overloaded = textOf('mta/dovecot_login');
    const [first, ...rest] = overloaded.split(/(?=^-- A Dovecot|^REVOKE)/m);
    expect(rest).toHaveLength(2);
    const files = { 'mta/dovecot_login': String(first), 'mta/dovecot_userdb': null, 'events/queue_alert_email': null };
    await start(makeVersion({ files }));
    expect(
      await rowsOf(
        "SELECT oid::regprocedure::text AS name FROM pg_proc WHERE proname ~ '^dovecot_(login|userdb)|^queue_alert'",
      ),
    ).toEqual([{ name: 'mta.dovecot_login(mta.asked_name)' }]);
    expect(
      await rowsOf(
        "SELECT FROM pg_trigger WHERE tgrelid = 'alert'::regclass AND tgname IN ('alert_opened', 'alert_closed')",
      ),
    ).toEqual([]);
  });

  it('can change what a function returns, with the views that use it', async () => {
    const before = await catalog();
    await start(makeVersion({ files: { 'counting/analytics_bin': bin('integer') } }));
    const changed = (await catalog()).filter((line) => !before.includes(line));
    expect(changed.join('\n')).toMatch(
      /^CREATE OR REPLACE FUNCTION public\.analytics_bin\(took interval\)\s+RETURNS integer/,
    );
    expect(changed).toHaveLength(1);
    await start(makeVersion({ newer: 2 }));
    expect(await catalog()).toEqual(before);
  });

  it('makes a view again that a migration dropped', async () => {
    const sql = 'DROP VIEW analytics_fact; ALTER TABLE message ALTER COLUMN size_bytes TYPE bigint;';
    expect(await start(makeVersion({ sql }))).toBe(1);
    expect(await rowsOf('SELECT FROM analytics_fact')).toEqual([]);
  });

  it('that the database rejects changes nothing, and says which file or migration', async () => {
    const before = await catalog();
    const files = { 'counting/analytics_bin': bin('smallint'), 'sending/uncount_send': '-- Wrong.\nCREATE FUNCTIO' };
    await expect(start(makeVersion({ files }))).rejects.toThrow(
      'rejects prisma/functions/sending/uncount_send.sql: syntax error',
    );
    const sql = 'CREATE TABLE half (id integer); SELECT 1 / 0;';
    await expect(start(makeVersion({ sql }))).rejects.toThrow(
      'could not be migrated: 20990101000000_later: division by zero',
    );
    expect(await catalog()).toEqual(before);
    expect(await oneOf("SELECT to_regclass('half')")).toBeNull();
    expect(await start(makeVersion({ sql: 'CREATE TABLE half (id integer)' }))).toBe(1);
  });

  it.each([
    ['its triggers', { files: { 'events/queue_alert_email': `${textOf('events/queue_alert_email')}-- Changed.\n` } }],
    ['its migrations', { sql: 'ALTER TABLE alert ADD COLUMN note text' }],
  ])('waits for a transaction that uses a table of %s, and lets others go on', async (_, version) => {
    const other = await connect(database.url);
    await other.query('BEGIN; LOCK TABLE alert IN ROW EXCLUSIVE MODE');
    const upgraded = start(makeVersion(version));
    const waiting = "SELECT FROM pg_locks WHERE relation = 'alert'::regclass AND NOT granted";
    const until = (count: number) =>
      vi.waitFor(async () => expect(await rowsOf(waiting)).toHaveLength(count), { timeout: 60_000 });
    await until(1);
    // The first try has given up.
    await until(0);
    await other.query('COMMIT');
    expect(await upgraded).toBe('sql' in version ? 1 : 0);
    expect(await oneOf('SELECT min(revision) FROM sql_function')).toBe(revision + 1);
  });
});

describe('an instance of an earlier version that starts beside a newer one', () => {
  it('runs on tables that a migration only added to', async () => {
    const sql = 'ALTER TABLE alias ADD COLUMN note text; CREATE TABLE note (id uuid PRIMARY KEY);';
    expect(await start(makeVersion({ sql }))).toBe(1);
    expect(await start()).toBe(0);
    await checkIsMigrated(own, database.url);
    expect(await rowsOf('SELECT note FROM alias')).toEqual([]);
  });

  it.each([
    ['if a migration breaks versions that lack one of this version', '20261208100000_deleted_records', true],
    ['only if it breaks no version like this one', '20990101000000_later', false],
  ])('runs %s', async (_, needed, isRunning) => {
    const sql = `-- Breaks versions before ${needed}, which read this column.\nALTER TABLE alias DROP COLUMN active CASCADE;`;
    await start(makeVersion({ sql }));
    const started = expect(start());
    if (isRunning) await started.resolves.toBe(0);
    else await started.rejects.toThrow('of a newer version of Postroom, with 20990101000000_later: start that version');
  });

  it('is refused by migrations of which nobody knows what they break', async () => {
    await start(makeVersion({ sql: 'SELECT 1' }));
    await rowsOf("UPDATE _prisma_migrations SET logs = NULL WHERE migration_name LIKE '2099%'");
    await expect(start()).rejects.toThrow('with 20990101000000_later');
    await expect(checkIsMigrated(own, database.url)).rejects.toThrow('with 20990101000000_later');
  });

  it('leaves its functions as they are', async () => {
    const added = {
      'sending/newer': '-- New.\nCREATE OR REPLACE FUNCTION newer() RETURNS integer LANGUAGE sql RETURN 1;',
    };
    await start(makeVersion({ files: { ...added, 'counting/analytics_bin': bin('smallint') } }));
    expect(await start()).toBe(0);
    await checkIsMigrated(own, database.url);
    expect(await oneOf("SELECT analytics_bin('1 hour') + newer()")).toBe(8);
  });

  it('is refused if the newer version dropped a function that it calls', async () => {
    await start(makeVersion({ files: { 'sending/record_submissions': null, 'sending/uncount_send': null } }));
    const refusal =
      'The database is of a newer version of Postroom, without FUNCTION uncount_send(message uuid), ' +
      'FUNCTION record_submissions(given jsonb, skip_locked boolean): start that version';
    await expect(start()).rejects.toThrow(refusal);
    await expect(checkIsMigrated(own, database.url)).rejects.toThrow(refusal);
  });
});

it('an agent of a newer version waits until the app has applied the functions', async () => {
  const newer = makeVersion({ files: { 'counting/analytics_bin': bin('smallint') } });
  await expect(checkIsMigrated(newer, database.url)).rejects.toThrow('The database is not up to date.');
  await start(newer);
  await checkIsMigrated(newer, database.url);
});

it('a changed file needs another revision', async () => {
  expect(await isRevised(own)).toBe(true);
  expect(await isRevised(makeVersion({ files: { 'counting/analytics_bin': bin('smallint') } }))).toBe(false);
});

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { verifyArchive } from '@/modules/backups/archive/verify';
import { backUp } from '@/modules/backups/command/back-up';
import { readIdentities } from '@/modules/backups/key';
import { reconcileBackups } from '@/modules/backups/records/reconcile';
import { createBucketTarget } from '@/modules/backups/target/bucket';
import { createFolderTarget } from '@/modules/backups/target/folder';
import type { BackupTarget } from '@/modules/backups/target/port';
import { dataDir, db } from '../database';
import { capturePrinted } from '../printed';
import { startS3Server } from '../servers/s3';
import { setSettings, unsetSettings } from '../settings';

const KB = 1024;
const EVENTS = 60;
const folder = join(dataDir, 'backups');
const target = createFolderTarget(folder);
capturePrinted();

// Their archive has 16 KB for each, which can't be compressed further.
beforeAll(
  () => db.$executeRaw`
    INSERT INTO event (id, type, body, body_bytes)
    SELECT gen_random_uuid(), 'mail.sent', string_agg(md5(random()::text), ''), 32000
      FROM generate_series(1, ${EVENTS}::int) AS n, generate_series(1, 1000) AS part GROUP BY n`,
);
beforeEach(async () => {
  await db.backupOperation.deleteMany();
  await db.backup.deleteMany();
  rmSync(folder, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}): { child: ChildProcess; ended: Promise<unknown> } {
  const options = { env: { ...process.env, ...env }, stdio: 'ignore' as const };
  const child = spawn(process.execPath, ['scripts/backup.mjs'], options);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: new Promise((resolve) => child.once('close', resolve)) };
}

/** Keeps a backup waiting where it comes to a table. */
async function hold(table: string, mode = 'ACCESS EXCLUSIVE'): Promise<() => Promise<void>> {
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE ${table} IN ${mode} MODE`);
  return () => client.end();
}

/** Postgres notices that a process was killed when it next answers it. */
const locksReleased = () =>
  expect
    .poll(
      () => db.$queryRaw`
        SELECT pid FROM pg_locks JOIN pg_database ON pg_database.oid = database
         WHERE locktype = 'advisory' AND datname = current_database()`,
    )
    .toEqual([]);

async function namesIn(where: BackupTarget): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of where.list()) names.push(name);
  return names;
}

/** Whatever is there is whole, and whatever is recorded as completed is there. */
async function expectWhole(where: BackupTarget): Promise<void> {
  const names = await namesIn(where);
  for (const name of names) {
    const open = async () => {
      const archive = await where.read(name);
      if (!archive) throw new Error(`${name} is missing`);
      return archive;
    };
    const identities = readIdentities(join(dataDir, 'backup-key'));
    expect((await verifyArchive({ open, keys: { identities } })).rows).toBeGreaterThan(EVENTS);
  }
  const completed = await db.backup.findMany({ where: { status: 'completed' } });
  for (const { name } of completed) expect(names).toContain(name);
}

/** A second command waits a few seconds for the runner of a new operation to take its lock. */
const makeOlder = () => db.$executeRaw`UPDATE backup_operation SET started_at = now() - interval '1 minute'`;

const parts = () => (existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.part')) : []);
const sizeOfPart = () => statSync(join(folder, String(parts()[0])), { throwIfNoEntry: false })?.size ?? 0;
const isRecorded = async () => (await db.backup.count()) > 0;

type State = { table: string; isReached: () => boolean | Promise<boolean> };

/** Kills the command while it waits for a table. */
async function killAt({ table, isReached }: State, env?: Record<string, string>): Promise<void> {
  const release = await hold(table);
  const { child, ended } = start(env);
  await expect.poll(isReached).toBe(true);
  child.kill('SIGKILL');
  await ended;
  await release();
  await locksReleased();
}

async function expectNextSucceeds(): Promise<void> {
  await expectWhole(target);
  await makeOlder();
  await backUp({});
  await reconcileBackups(db, new Date());
  await expectWhole(target);
  const unfinished = { OR: [{ status: 'running' as const }, { status: 'failed' as const, error: null }] };
  expect(await db.backup.count({ where: unfinished })).toBe(0);
  expect(await db.backup.count({ where: { status: 'completed' } })).toBe((await namesIn(target)).length);
}

it.each<[string, State]>([
  ['as soon as it is recorded', { table: 'alias', isReached: isRecorded }],
  ['before its first table', { table: 'admin', isReached: () => parts().length > 0 }],
])('a backup that is killed %s leaves nothing that is not whole, and the next one succeeds', async (_, state) => {
  await killAt(state);
  await expectNextSucceeds();
});

it('a backup that is killed in the middle leaves nothing that is not whole, and a later one tidies up', async () => {
  await killAt({ table: 'message', isReached: () => sizeOfPart() > (EVENTS / 2) * 16 * KB });
  expect(await namesIn(target)).toEqual([]);
  const [part] = parts() as [string];
  await expectNextSucceeds();
  expect(await db.backup.findMany({ orderBy: { startedAt: 'asc' } })).toMatchObject([
    { status: 'failed' },
    { status: 'completed' },
  ]);
  expect(await db.backupOperation.findMany({ orderBy: { startedAt: 'asc' } })).toMatchObject([
    { state: 'interrupted' },
    { state: 'succeeded' },
  ]);
  // Another server may be writing a younger one.
  expect(parts()).toEqual([part]);
  utimesSync(join(folder, part), new Date(0), new Date(0));
  await backUp({});
  expect(parts()).toEqual([]);
});

it('a backup that is killed when its archive is complete is whole, and the next one succeeds', async () => {
  const release = await hold('message');
  const { child, ended } = start();
  await expect.poll(isRecorded).toBe(true);
  // It can't be recorded as completed.
  const releaseRecord = await hold('backup', 'SHARE');
  await release();
  await expect.poll(() => namesIn(target)).toHaveLength(1);
  child.kill('SIGKILL');
  await ended;
  await releaseRecord();
  await locksReleased();
  await expectNextSucceeds();
});

it('a backup to a bucket that is killed in the middle leaves no archive', async () => {
  const s3 = await startS3Server();
  onTestFinished(s3.close);
  const bucket = createBucketTarget({ ...s3, prefix: 'killed', region: 'us-east-1' });
  const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } = s3.credentials;
  const env = {
    BACKUP_TARGET: `s3://${s3.bucket}/killed?endpoint=${s3.endpoint}`,
    AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY,
  };
  const isReached = async () => Number((await db.backupOperation.findFirst())?.progressBytes ?? 0) > 0;
  await killAt({ table: 'message', isReached }, env);
  expect(await namesIn(bucket)).toEqual([]);
  await makeOlder();
  setSettings(env);
  onTestFinished(() => unsetSettings(...Object.keys(env)));
  await backUp({});
  await expectWhole(bucket);
  expect(await db.backup.findFirst({ where: { status: 'completed' } })).toMatchObject({ location: bucket.label });
});

it('a command whose backup can’t be written fails', async () => {
  writeFileSync(folder, 'in the way');
  expect(await start().ended).toBe(1);
});

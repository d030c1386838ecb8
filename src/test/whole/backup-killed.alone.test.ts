import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
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

const MB = 1024 * 1024;
const folder = join(dataDir, 'backups');
const target = createFolderTarget(folder);
capturePrinted();

/** Adds events whose archive has 16 KB for each, which can't be compressed further. */
const addEvents = (count: number) => db.$executeRaw`
  INSERT INTO event (id, type, body, body_bytes)
  SELECT gen_random_uuid(), 'mail.sent', string_agg(md5(random()::text), ''), 32000
    FROM generate_series(1, ${count}::int) AS n, generate_series(1, 1000) AS part GROUP BY n`;

beforeAll(() => addEvents(250));
beforeEach(async () => {
  await db.backupOperation.deleteMany();
  await db.backup.deleteMany();
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => rmSync(dataDir, { recursive: true }));

function start(env: Record<string, string> = {}): { child: ChildProcess; ended: Promise<unknown> } {
  const options = { env: { ...process.env, ...env }, stdio: 'ignore' as const };
  const child = spawn(process.execPath, ['scripts/backup.mjs'], options);
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: new Promise((resolve) => child.once('close', resolve)) };
}

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
    expect((await verifyArchive({ open, keys: { identities } })).rows).toBeGreaterThan(250);
  }
  const completed = await db.backup.findMany({ where: { status: 'completed' } });
  for (const { name } of completed) expect(names).toContain(name);
}

/** A second command waits a few seconds for the runner of a new operation to take its lock. */
const makeOlder = () => db.$executeRaw`UPDATE backup_operation SET started_at = now() - interval '1 minute'`;

const partOf = () => (existsSync(folder) ? readdirSync(folder).find((name) => name.endsWith('.part')) : undefined);
const sizeOfPart = () => {
  const part = partOf();
  return part === undefined ? 0 : (statSync(join(folder, part), { throwIfNoEntry: false })?.size ?? 0);
};

it.each<[string, () => boolean | Promise<boolean>]>([
  ['as soon as it is recorded', async () => (await db.backup.count()) > 0],
  ['before its first byte', () => partOf() !== undefined],
  ['after some of it', () => sizeOfPart() > MB / 4],
  ['after most of it', () => sizeOfPart() > 2.5 * MB],
  ['when its archive is complete', async () => (await namesIn(target)).length > 0],
])('a backup that is killed %s leaves nothing that is not whole, and the next one succeeds', async (_, isReached) => {
  const { child, ended } = start();
  await expect.poll(isReached, { interval: 1 }).toBe(true);
  child.kill('SIGKILL');
  await ended;
  await expectWhole(target);
  await makeOlder();
  await backUp({});
  await reconcileBackups(db, new Date());
  await expectWhole(target);
  const unfinished = { OR: [{ status: 'running' as const }, { status: 'failed' as const, error: null }] };
  expect(await db.backup.count({ where: unfinished })).toBe(0);
  expect(await db.backup.count({ where: { status: 'completed' } })).toBe((await namesIn(target)).length);
});

it('a backup to a bucket that is killed in the middle leaves no archive', async () => {
  // The archive has several parts, because a bucket gets it in parts of some megabytes.
  await addEvents(750);
  const s3 = await startS3Server();
  onTestFinished(s3.close);
  const bucket = createBucketTarget({ ...s3, prefix: 'killed', region: 'us-east-1' });
  const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } = s3.credentials;
  const env = {
    BACKUP_TARGET: `s3://${s3.bucket}/killed?endpoint=${s3.endpoint}`,
    AWS_ACCESS_KEY_ID,
    AWS_SECRET_ACCESS_KEY,
  };
  const { child, ended } = start(env);
  const hasParts = async () => Number((await db.backupOperation.findFirst())?.progressBytes ?? 0) > 0;
  await expect.poll(hasParts, { interval: 1 }).toBe(true);
  child.kill('SIGKILL');
  await ended;
  await expectWhole(bucket);
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

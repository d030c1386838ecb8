import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateX25519Identity, identityToRecipient } from 'age-encryption';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { connect, makeDatabase } from '@/test/backups';
import { dataDir, db } from '@/test/database';
import { makeAdmin, makeDomain } from '@/test/factories';
import { capturePrinted } from '@/test/printed';
import { startS3Server } from '@/test/servers/s3';
import { setSettings, unsetSettings } from '@/test/settings';
import { isPlain } from '../../../../scripts/process/plain-error.mjs';
import { backUp } from './back-up';
import { restoreFile } from './restore';

// These tests run the commands in this process; src/test/whole/backup-command.test.ts starts them as one of their own.

const folder = mkdtempSync(join(tmpdir(), 'postroom-command-'));
afterAll(() => rmSync(folder, { recursive: true }));
const archive = join(folder, 'first.age');
const key = join(folder, 'kept-outside');
const secretKey = String(process.env.SECRET_KEY);
const { url, client } = await makeDatabase();

const printed = capturePrinted();

beforeAll(async () => {
  await makeAdmin({ email: 'root@a.example' });
  await makeDomain({ name: 'a.example' });
  await backUp({ file: archive });
  writeFileSync(key, readFileSync(join(dataDir, 'backup-key')));
});

type Restore = Parameters<typeof restoreFile>[0];
const restore = (file: string, over: Partial<Restore> = {}) =>
  restoreFile({ file, dataDir, databaseUrl: url, isDryRun: false, confirm: null, ...over });

/** Returns the sentence that the command prints. */
async function problemOf(run: Promise<unknown>): Promise<string> {
  const error = await run.catch((thrown: unknown) => thrown);
  expect(isPlain(error), String(error)).toBe(true);
  return (error as Error).message;
}

it('a backup replaces no file', async () => {
  const before = readFileSync(archive);
  expect(await problemOf(backUp({ file: archive }))).toBe(`${archive} exists already.`);
  expect(readFileSync(archive)).toEqual(before);
});

it('a backup runs only once at a time', async () => {
  const other = await connect(String(process.env.DATABASE_URL));
  await other.query('SELECT pg_advisory_lock(7203019)');
  onTestFinished(async () => void (await other.query('SELECT pg_advisory_unlock_all()')));
  const file = join(folder, 'second.age');
  expect(await problemOf(backUp({ file }))).toBe('Another backup or restore of this database is running.');
  expect(existsSync(file)).toBe(false);
});

describe('a restore of one domain', () => {
  beforeEach(async () => {
    await restore(archive);
    await client.query("UPDATE domain SET description = 'Changed since'");
    await client.query("INSERT INTO domain (id, name, updated_at) VALUES (gen_random_uuid(), 'newer.example', now())");
  });
  const domains = async () => (await client.query('SELECT name, description FROM domain ORDER BY name')).rows;
  const changed = [
    { name: 'a.example', description: 'Changed since' },
    { name: 'newer.example', description: '' },
  ];

  it('shows what would change, and changes nothing with --dry-run', async () => {
    expect(await restore(archive, { domain: 'A.example', isDryRun: true })).toBe(false);
    expect(printed()).toMatch(/^domain +0 +1 +0$/m);
    expect(await domains()).toEqual(changed);
  });

  it('that the archive has not changes nothing', async () => {
    expect(await problemOf(restore(archive, { domain: 'newer.example' }))).toContain('has no domain newer.example.');
    expect(await domains()).toEqual(changed);
  });
});

describe('a restore on a new machine', () => {
  const onMachine = (name: string) => ({ dataDir: join(folder, name), keyFile: key });
  const filesOf = (name: string) => (existsSync(join(folder, name)) ? readdirSync(join(folder, name)) : []);
  beforeEach(() => unsetSettings('SECRET_KEY'));
  afterEach(() => setSettings({ SECRET_KEY: secretKey }));

  it('brings no key if it fails', async () => {
    const cut = join(folder, 'cut.age');
    writeFileSync(cut, readFileSync(archive).subarray(0, -1));
    expect(await problemOf(restore(cut, onMachine('failed')))).toContain('damaged or incomplete');
    expect(filesOf('failed')).toEqual([]);
  });

  it('brings no key for one domain, and needs the SECRET_KEY of the others', async () => {
    const ofDomain = () => restore(archive, { ...onMachine('one-domain'), domain: 'a.example' });
    expect(await problemOf(ofDomain())).toContain('There is no SECRET_KEY');
    setSettings({ SECRET_KEY: secretKey });
    expect(await ofDomain()).toBe(true);
    expect(filesOf('one-domain')).toEqual([]);
  });

  it('brings no key of BACKUP_RECIPIENTS', async () => {
    const recovery = await generateX25519Identity();
    const [file, keyFile] = [join(folder, 'recovered.age'), join(folder, 'recovery')];
    setSettings({ SECRET_KEY: secretKey, BACKUP_RECIPIENTS: await identityToRecipient(recovery) });
    onTestFinished(() => unsetSettings('BACKUP_RECIPIENTS'));
    await backUp({ file });
    writeFileSync(keyFile, recovery);
    unsetSettings('SECRET_KEY');
    expect(await restore(file, { ...onMachine('recovered'), keyFile })).toBe(true);
    expect(printed()).toContain('is not that of the server, so it was not copied.');
    expect(filesOf('recovered')).toEqual(['secret-key']);
  });
});

it('a restore of a file that is missing, is no archive, or is for another key, says so in one sentence', async () => {
  const other = join(folder, 'not-an-archive');
  writeFileSync(other, 'something else');
  expect(await problemOf(restore(other))).toMatch(
    /^The archive is damaged or incomplete\. It is not in the age format, .*$/,
  );
  expect(await problemOf(restore(join(folder, 'missing.age')))).toMatch(/missing\.age does not exist\.$/);
  const otherKey = join(folder, 'other-key');
  writeFileSync(otherKey, await generateX25519Identity());
  for (const keyFile of [archive, otherKey])
    expect(await problemOf(restore(archive, { keyFile }))).toBe('None of the keys opens this archive.');
});

it('a restore with a wrong passphrase, and with none, changes nothing, and with the right one it restores', async () => {
  const file = join(folder, 'with-passphrase.age');
  const machine = { dataDir: join(folder, 'without-key') };
  onTestFinished(() => unsetSettings('BACKUP_PASSPHRASE'));
  const passphrase = 'paper boats on the canal';
  setSettings({ BACKUP_PASSPHRASE: passphrase });
  await backUp({ file });
  await client.query("UPDATE domain SET description = 'Changed since'");
  setSettings({ BACKUP_PASSPHRASE: 'paper boats in the rain' });
  expect(await problemOf(restore(file, machine))).toBe('None of the keys opens this archive.');
  unsetSettings('BACKUP_PASSPHRASE');
  expect(await problemOf(restore(file, machine))).toContain('set BACKUP_PASSPHRASE');
  const descriptions = async () => (await client.query('SELECT description FROM domain')).rows;
  expect(await descriptions()).toEqual([{ description: 'Changed since' }]);
  setSettings({ BACKUP_PASSPHRASE: passphrase });
  expect(await restore(file, machine)).toBe(true);
  expect(await descriptions()).toEqual([{ description: '' }]);
});

it('an archive in BACKUP_TARGET is restored by its name in it, and by its address', async () => {
  const s3 = await startS3Server();
  onTestFinished(s3.close);
  const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } = s3.credentials;
  const BACKUP_TARGET = `s3://${s3.bucket}/nightly?endpoint=${s3.endpoint}`;
  onTestFinished(() => unsetSettings('BACKUP_TARGET', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'));
  setSettings({ BACKUP_TARGET, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY });
  await backUp({});
  const { name, location } = await db.backup.findFirstOrThrow({ orderBy: { startedAt: 'desc' } });
  expect(location).toBe(`s3://${s3.bucket}/nightly`);
  expect(printed()).toContain(`${location}/${name}: Stored`);
  expect(await restore(name)).toBe(true);
  expect(await problemOf(restore('none.age'))).toBe(`none.age does not exist, neither here nor in ${location}.`);
  unsetSettings('BACKUP_TARGET');
  expect(await restore(`${location}/${name}?endpoint=${s3.endpoint}`)).toBe(true);
  expect(printed().match(/^Restored /gm)).toHaveLength(2);
});

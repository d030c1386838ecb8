import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { generateX25519Identity } from 'age-encryption';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { backUp } from '@/modules/backups/command/back-up';
import { createBucketTarget } from '@/modules/backups/target/bucket';
import { db } from '../database';
import { makeAdmin, makeAlias, makeDomain } from '../factories';
import { capturePrinted } from '../printed';
import { listWithAge } from '../servers/age';
import { startS3Server } from '../servers/s3';
import { setSettings } from '../settings';

// src/modules/backups/command/archives.test.ts runs the commands in its own process, with everything that can be wrong.

const folder = mkdtempSync(join(tmpdir(), 'postroom-backup-'));
afterAll(() => rmSync(folder, { recursive: true }));
const dataDir = join(folder, 'data');
setSettings({ DATA_DIR: dataDir });
const archive = join(folder, 'first.age');
const otherUrl = await makeDatabase();
const printed = capturePrinted();

beforeAll(async () => {
  await makeAdmin({ email: 'root@a.example' });
  const { id } = await makeDomain({ name: 'a.example' });
  await makeAlias(id, 'hello', 'ann@b.example');
});

async function makeDatabase(): Promise<string> {
  const name = `postroom_restored_${randomBytes(6).toString('hex')}`;
  const admin = new pg.Client(inject('adminUrl'));
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name} TEMPLATE ${inject('template')}`);
  afterAll(async () => {
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  });
  const url = new URL(inject('adminUrl'));
  url.pathname = `/${name}`;
  return url.href;
}

function run(command: 'backup' | 'restore', args: string[], env: Record<string, string | undefined> = {}) {
  const child = spawn(process.execPath, [`scripts/${command}.mjs`, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  return new Promise<{ code: number | null; output: string }>((resolve) =>
    child.on('close', (code) => resolve({ code, output: output.trim() })),
  );
}

async function inOther(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(otherUrl);
  await client.connect();
  return client.query(sql).then(
    async ({ rows }) => client.end().then(() => rows),
    async (error) => client.end().then(() => Promise.reject(error)),
  );
}

describe('npm run backup', () => {
  it('makes a key once, names its file, and writes an archive that only its user can read', async () => {
    const first = await run('backup', [archive]);
    expect(first.code, first.output).toBe(0);
    expect(readFileSync(join(dataDir, 'backup-key'), 'utf8')).toMatch(/^AGE-SECRET-KEY-\S+$/m);
    expect(first.output).toContain(`Made a key for backups in ${dataDir}/backup-key.`);
    expect(first.output, 'which cron mails').not.toContain('AGE-SECRET-KEY');
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    expect(statSync(join(dataDir, 'backup-key')).mode & 0o777).toBe(0o600);
    await backUp({});
    expect(printed()).not.toContain('Made a key');
    expect(readdirSync(join(dataDir, 'backups')).toSorted()).toEqual([
      expect.stringMatching(/^postroom-\d{4}.*Z\.age$/),
      'postroom-backups',
    ]);
    const entries = await db.auditEntry.findMany({ where: { action: 'backup.create' } });
    const after = { name: 'first.age', location: folder, trigger: 'command' };
    expect(entries).toMatchObject([{ userAgent: 'command line', details: { after } }, {}]);
    expect(await db.backup.findMany({ orderBy: { startedAt: 'asc' } })).toMatchObject([
      { ...after, status: 'completed', sizeBytes: BigInt(statSync(archive).size) },
      { location: join(dataDir, 'backups'), status: 'completed' },
    ]);
  });

  it('writes archives that age and tar open', async () => {
    const listed = listWithAge(join(dataDir, 'backup-key'), archive);
    expect(listed).toEqual(expect.arrayContaining(['postroom.json', 'tables/domain/000000', 'manifest.json']));
  });

  it('with BACKUP_TARGET and BACKUP_PASSPHRASE, stores an archive in a bucket', async () => {
    const s3 = await startS3Server();
    onTestFinished(s3.close);
    const { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY } = s3.credentials;
    const BACKUP_TARGET = `s3://${s3.bucket}/nightly?endpoint=${s3.endpoint}`;
    const BACKUP_PASSPHRASE = 'paper boats on the canal';
    const env = { BACKUP_TARGET, BACKUP_PASSPHRASE, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
    const { code, output } = await run('backup', [], env);
    expect(code, output).toBe(0);
    const { name, location } = await db.backup.findFirstOrThrow({ orderBy: { startedAt: 'desc' } });
    expect(location).toBe(`s3://${s3.bucket}/nightly`);
    expect(output).toContain(`${location}/${name}: Stored`);
    const stored = await createBucketTarget({ ...s3, prefix: 'nightly', region: 'us-east-1' }).read(name);
    expect((await buffer(stored as Readable)).toString('latin1')).toMatch(/^age-encryption.org\/v1\n-> scrypt /);
  });
});

describe('npm run restore', () => {
  it('shows what would change, and changes nothing with --dry-run', async () => {
    const { code, output } = await run('restore', [archive, '--dry-run'], { DATABASE_URL: otherUrl });
    expect(code, output).toBe(0);
    expect(output).toMatch(/^domain +1 +0 +0$/m);
    expect(output).toContain('added: a.example');
    expect(await inOther('SELECT name FROM domain')).toEqual([]);
  });

  it('migrates no database that has content', async () => {
    await inOther('CREATE TABLE latest AS SELECT * FROM _prisma_migrations ORDER BY migration_name DESC LIMIT 1');
    await inOther('DELETE FROM _prisma_migrations WHERE id IN (SELECT id FROM latest)');
    const { code, output } = await run('restore', [archive, '--dry-run'], { DATABASE_URL: otherUrl });
    await inOther('INSERT INTO _prisma_migrations SELECT * FROM latest');
    await inOther('DROP TABLE latest');
    expect({ code, output }).toEqual({ code: 1, output: expect.stringContaining('The database is not up to date.') });
  });

  it('asks before it replaces anything', async () => {
    const { code, output } = await run('restore', [archive], { DATABASE_URL: otherUrl });
    expect(code).toBe(1);
    expect(output).toContain('Add --yes');
    expect(await inOther('SELECT name FROM domain')).toEqual([]);
  });

  it('on a new machine restores, records it in the audit log, and brings the secret key of the archive and the key that opens it', async () => {
    const [machine, key] = [join(folder, 'machine'), join(folder, 'kept-outside')];
    // Someone may keep several keys in one file.
    writeFileSync(key, `${await generateX25519Identity()}\n${readFileSync(join(dataDir, 'backup-key'), 'utf8')}`);
    const env = { DATABASE_URL: otherUrl, DATA_DIR: machine, SECRET_KEY: undefined };
    const { code, output } = await run('restore', [archive, '--yes', '--key', key], env);
    expect(code, output).toBe(0);
    expect(output).toContain('Everyone has to sign in again.');
    expect(await inOther('SELECT name FROM domain')).toEqual([{ name: 'a.example' }]);
    expect(await inOther("SELECT details FROM audit_entry WHERE action = 'backup.restore'")).toMatchObject([
      { details: { source: 'command_line', file: archive } },
    ]);
    expect(readFileSync(join(machine, 'secret-key'), 'utf8')).toBe(process.env.SECRET_KEY);
    expect(readFileSync(join(machine, 'backup-key'))).toEqual(readFileSync(join(dataDir, 'backup-key')));
    expect(statSync(join(machine, 'backup-key')).mode & 0o777).toBe(0o600);
  });

  it('restores one domain, and says what it has left out', async () => {
    await inOther("UPDATE domain SET description = 'Changed since'");
    await inOther("INSERT INTO domain (id, name, updated_at) VALUES (gen_random_uuid(), 'newer.example', now())");
    const env = { DATABASE_URL: otherUrl };
    const { code, output } = await run('restore', [archive, '--domain', 'A.example', '--yes'], env);
    expect(code, output).toBe(0);
    expect(output).toMatch(/^Restored A\.example: \d+ rows\.$/m);
    expect(await inOther('SELECT name, description FROM domain ORDER BY name')).toEqual([
      { name: 'a.example', description: '' },
      { name: 'newer.example', description: '' },
    ]);
  });

  it('shows its usage without a file', async () => {
    const { code, output } = await run('restore', []);
    expect(code).toBe(2);
    expect(output).toMatch(/^Usage: npm run restore/);
  });
});

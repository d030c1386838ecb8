import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { readMigrations } from '@/server/migrations/migrations.mjs';
import { seal } from '@/server/secrets/sealing';
import { backUp, connect, hashOf, makeDatabase, makeMigrations, sourceOf } from '@/test/backups';
import { db } from '@/test/database';
import { makeAdmin, makeAlias, makeDkimKey, makeDomain, makeWebhook } from '@/test/factories';
import { ArchiveError, BackupError, type Progress } from '../archive/format';
import { migrateTo } from '../scratch/migrations';
import { proveArchive } from './prove';

const databaseUrl = String(process.env.DATABASE_URL);
const source = await connect(databaseUrl);
const server = await connect(inject('adminUrl'));
const others = [await makeDatabase(), await makeDatabase()] as const;
const refused = makeMigrations("ALTER TABLE domain ADD CONSTRAINT never CHECK (name <> 'a.example');");
const earlier = makeMigrations(
  'CREATE TABLE mail_backup_plan (id uuid, sealed bytea);',
  'DROP TABLE mail_backup_plan;',
);
const role = `reader_${randomBytes(4).toString('hex')}`;
await server.query(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
afterAll(() => server.query(`DROP ROLE ${role}`));

let archive: Buffer;
let adminId: string;
beforeAll(async () => {
  ({ id: adminId } = await makeAdmin({ email: 'root@a.example' }));
  await db.admin.update({
    where: { id: adminId },
    data: { totpSecret: seal(`admin.totp_secret:${adminId}`, 'JBSWY3DP') },
  });
  const { id } = await makeDomain({ name: 'a.example' });
  await makeAlias(id, 'hello', 'ann@a.example');
  const { id: keyId } = await makeDkimKey(id);
  const privateKey = seal(`dkim_key.private_key:${keyId}`, 'secret');
  await db.dkimKey.update({ where: { id: keyId }, data: { privateKey } });
  const { id: webhookId } = await makeWebhook();
  const secret = seal(`webhook.secret:${webhookId}`, 'secret');
  await db.webhook.update({ where: { id: webhookId }, data: { secret } });
  archive = await backUp(source);
});

/** With a name by which the connections of this test can be found. */
function urlAs(name: string): string {
  const url = new URL(databaseUrl);
  url.searchParams.set('application_name', name);
  return url.href;
}

const databases = async (name = 'postroom_scratch_%') =>
  (await server.query<{ datname: string }>('SELECT datname FROM pg_database WHERE datname LIKE $1', [name])).rows.map(
    ({ datname }) => datname,
  );

/** The database that the connections with this name use. */
const scratchOf = async (name: string) =>
  (
    await server.query<{ datname: string }>(
      "SELECT datname FROM pg_stat_activity WHERE application_name = $1 AND datname LIKE 'postroom_scratch_%'",
      [name],
    )
  ).rows[0]?.datname as string;

/** Makes a database as a proof does, until the end of the test. */
async function makeScratch() {
  const number = randomBytes(4).readUInt32BE() >>> 1;
  const name = `postroom_scratch_${number}`;
  await server.query(`CREATE DATABASE ${name}`);
  onTestFinished(async () => void (await server.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)));
  return { name, number };
}

it('an archive is proven by restoring all of it elsewhere, which leaves nothing behind, and nothing of proofs that were killed', async () => {
  const abandoned = await makeScratch();
  const locked = await makeScratch();
  const holder = await connect(databaseUrl);
  await holder.query('SELECT pg_advisory_lock(7203020, $1)', [locked.number]);
  const connected = await makeScratch();
  const user = await connect(Object.assign(new URL(inject('adminUrl')), { pathname: `/${connected.name}` }).href);
  const before = await hashOf(source);
  const reports: Progress[] = [];
  let scratch = '';
  const proof = await proveArchive(urlAs('proof_of_all'), sourceOf(archive), {
    onProgress: (progress) => {
      reports.push(progress);
      scratchOf('proof_of_all').then((name) => (scratch ||= name));
    },
  });
  const rows = Object.values(before).reduce((sum, hash) => sum + Number.parseInt(hash, 10), 0);
  expect(proof).toMatchObject({ isProven: true, rows, migrated: 0, tables: Object.keys(before).length });
  expect(proof.message).toBe(`Restored and compared: ${rows} rows in ${proof.tables} tables.`);
  expect(reports.at(-1)).toMatchObject({ tables: { done: proof.tables * 2, total: proof.tables * 2 }, rows });
  expect(scratch).toMatch(/^postroom_scratch_/);
  expect(await databases(scratch)).toEqual([]);
  expect(await hashOf(source)).toEqual(before);
  const left = await databases();
  expect(left, 'what others use').toEqual(expect.arrayContaining([locked.name, connected.name]));
  expect(left).not.toContain(abandoned.name);
  await Promise.all([holder.end(), user.end()]);
});

describe('an archive is not proven', () => {
  const disprove = async (bytes: Buffer, options = {}) => {
    const proof = await proveArchive(urlAs('disproof'), sourceOf(bytes), options);
    expect(proof.isProven).toBe(false);
    return proof.message;
  };

  it('with a row that refers to one that is not there', async () => {
    const [{ client }] = others;
    await client.query('ALTER TABLE alias DROP CONSTRAINT alias_domain_id_fkey');
    await client.query(`INSERT INTO alias (id, domain_id, source_local_part, destination, updated_at)
      VALUES (gen_random_uuid(), gen_random_uuid(), 'hello', 'ann@a.example', now())`);
    expect(await disprove(await backUp(client))).toMatch(
      /^The database does not accept the rows of alias: .*foreign key/,
    );
  });

  it('with values that the tables can’t hold as they are', async () => {
    const [, { client }] = others;
    await client.query('ALTER TABLE domain ALTER COLUMN updated_at TYPE timestamptz(6)');
    await client.query(`INSERT INTO domain (id, name, updated_at)
      VALUES (gen_random_uuid(), 'a.example', '2026-01-01T00:00:00.123456Z')`);
    expect(await disprove(await backUp(client))).toBe('After the restore, domain has other values than the archive.');
  });

  it('with secrets that its keys don’t open', async () => {
    const bytes = await backUp(source, { secret_keys: [randomBytes(32).toString('hex')] });
    expect(await disprove(bytes)).toMatch(
      new RegExp(`^The keys in the archive don’t open 3 of its secrets: admin.totp_secret:${adminId}, `),
    );
  });

  it('that a later migration does not accept', async () => {
    expect(await disprove(archive, { migrationsFolder: refused })).toMatch(
      /^The archive can’t be migrated to this version\. [\s\S]*20990101000000_later/,
    );
  });
});

it('an archive of an older version, without some of the secrets of today, is proven with the migrations since', async () => {
  const { client } = await makeDatabase('template0');
  await migrateTo(client, { folder: earlier, only: ['20261121000000_baseline'] });
  await client.query(
    `INSERT INTO admin (id, email, password_hash, role, totp_secret, updated_at)
    SELECT id, email, password_hash, role, totp_secret, updated_at FROM jsonb_populate_recordset(NULL::admin, $1)`,
    [(await source.query('SELECT jsonb_agg(to_jsonb(admin))::text AS admins FROM admin')).rows[0].admins],
  );
  const proof = await proveArchive(databaseUrl, sourceOf(await backUp(client)), { migrationsFolder: earlier });
  expect(proof).toMatchObject({ isProven: true, migrated: (await readMigrations(earlier)).length - 1 });
  expect(proof.message).toMatch(/, then migrated from version 0\.1\.0\.$/);
});

it('an archive that can’t be read is refused', async () => {
  await expect(proveArchive(urlAs('refused'), sourceOf(archive.subarray(0, -1)))).rejects.toThrow(ArchiveError);
  expect(await scratchOf('refused')).toBeUndefined();
});

describe('a proof that can’t be made says why', () => {
  it('because the user may not create databases', async () => {
    const url = Object.assign(new URL(databaseUrl), { username: role, password: 'secret' }).href;
    await expect(proveArchive(url, sourceOf(archive))).rejects.toThrow(
      `The database user ${role} may not create databases`,
    );
  });

  it('because the connection broke, and its database is gone', async () => {
    let scratch: string | undefined;
    const cut = async () => {
      scratch ??= await scratchOf('cut');
      await server.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'cut' AND datname = $1",
        [scratch],
      );
    };
    const proof = proveArchive(urlAs('cut'), sourceOf(archive), { onProgress: () => void cut() });
    const error = await proof.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BackupError);
    expect((error as Error).message).toMatch(/^The connection to the database broke/);
    expect(await databases(scratch)).toEqual([]);
  });

  it('because it was aborted, and its database is gone', async () => {
    const controller = new AbortController();
    const reason = new Error('shutting down');
    let scratch: Promise<string> | undefined;
    const proof = proveArchive(urlAs('aborted'), sourceOf(archive), {
      signal: controller.signal,
      onProgress: () => {
        scratch ??= scratchOf('aborted');
        controller.abort(reason);
      },
    });
    await expect(proof).rejects.toBe(reason);
    expect(await databases(await scratch)).toEqual([]);
  });
});

import { beforeAll, expect, it, vi } from 'vitest';
import { seal, unseal } from '@/server/secrets/sealing';
import { backUp, connect, hashOf, makeDatabase, makeMigrations, sourceOf } from '@/test/backups';
import { db } from '@/test/database';
import { makeAdmin, makeAlias, makeDomain, makeSession } from '@/test/factories';
import type { ArchiveError, Progress } from '../archive/format';
import { migrateTo } from '../scratch/migrations';
import { previewRestore, restore } from './restore';

// Each restore migrates a database, in two steps.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const source = await connect(String(process.env.DATABASE_URL));
const upgraded = await makeDatabase();
const migrationsFolder = makeMigrations(`
  ALTER TABLE domain RENAME COLUMN description TO remark;
  UPDATE domain SET remark = 'was ' || remark;
  ALTER TABLE alias ADD COLUMN later integer NOT NULL DEFAULT 7;
  CREATE TABLE later (id integer PRIMARY KEY);
  INSERT INTO later VALUES (1);`);
const refusing = makeMigrations("ALTER TABLE domain ADD CONSTRAINT never CHECK (name <> 'a.example');");

let archive: Buffer;
let adminId: string;
beforeAll(async () => {
  await migrateTo(upgraded.client, { folder: migrationsFolder });
  ({ id: adminId } = await makeAdmin({ email: 'root@a.example' }));
  const totpSecret = seal(`admin.totp_secret:${adminId}`, 'JBSWY3DP');
  await db.admin.update({ where: { id: adminId }, data: { totpSecret } });
  await makeSession(adminId);
  const { id } = await makeDomain({ name: 'a.example' });
  await db.domain.update({ where: { id }, data: { description: 'old' } });
  await makeAlias(id, 'hello', 'ann@a.example');
  archive = await backUp(source);
});

const rowsOf = async (sql: string) => (await upgraded.client.query(sql)).rows;

it('a preview of an older archive has the migrations since', async () => {
  await upgraded.client.query('DELETE FROM later');
  const before = await hashOf(upgraded.client);
  let last: Progress | undefined;
  const onProgress = (progress: Progress) => {
    last = progress;
  };
  const differences = await previewRestore(upgraded.client, sourceOf(archive), { migrationsFolder, onProgress });
  expect(differences).toContainEqual(expect.objectContaining({ table: 'domain', added: 1, removed: 0 }));
  expect(differences).toContainEqual(expect.objectContaining({ table: 'later', added: 1, removed: 0 }));
  expect(await hashOf(upgraded.client)).toEqual(before);
  expect(last?.tables.done).toBe(last?.tables.total);
});

it('an archive of an older version is restored with the migrations since', async () => {
  let last: Progress | undefined;
  const onProgress = (progress: Progress) => {
    last = progress;
  };
  await restore(upgraded.client, sourceOf(archive), { migrationsFolder, onProgress });
  expect(last?.tables.done).toBe(last?.tables.total);
  expect(await rowsOf('SELECT name, remark FROM domain')).toEqual([{ name: 'a.example', remark: 'was old' }]);
  expect(await rowsOf('SELECT source_local_part AS source, later FROM alias')).toEqual([{ source: 'hello', later: 7 }]);
  expect(await rowsOf('SELECT id FROM later')).toEqual([{ id: 1 }]);
  const [{ sealed }] = (await rowsOf('SELECT totp_secret AS sealed FROM admin')) as [{ sealed: Buffer }];
  expect(unseal(`admin.totp_secret:${adminId}`, sealed)).toBe('JBSWY3DP');
});

it('nothing differs after an older archive was restored', async () => {
  const again = await previewRestore(upgraded.client, sourceOf(archive), { migrationsFolder });
  expect(again.filter(({ added, changed, removed }) => added + changed + removed > 0)).toEqual([]);
});

it('an older archive that a later migration does not accept changes nothing', async () => {
  const before = await hashOf(upgraded.client);
  const error = await restore(upgraded.client, sourceOf(archive), { migrationsFolder: refusing }).catch((e) => e);
  expect(error.message).toMatch(/^The migrations can’t be applied:[\s\S]*20990101000000_later/);
  expect(await hashOf(upgraded.client)).toEqual(before);
});

it('an older archive that is cut changes nothing', async () => {
  const before = await hashOf(upgraded.client);
  const cut = sourceOf(archive.subarray(0, -1));
  await expect(restore(upgraded.client, cut, { migrationsFolder })).rejects.toMatchObject({ problem: 'damaged' });
  expect(await hashOf(upgraded.client)).toEqual(before);
});

it('an archive of a build with another migration of the same name is refused with that name', async () => {
  const name = '20261203000000_sql_functions';
  const setChecksum = (from: string) =>
    source.query(`UPDATE _prisma_migrations SET checksum = ${from} WHERE migration_name = $1`, [name]);
  await setChecksum('reverse(checksum)');
  const bytes = await backUp(source);
  await setChecksum('reverse(checksum)');
  const error = (await restore(upgraded.client, sourceOf(bytes)).catch((thrown: unknown) => thrown)) as ArchiveError;
  expect(error.problem).toBe('incompatible');
  expect(error.message).toContain(`in which ${name} made other tables than here`);
});

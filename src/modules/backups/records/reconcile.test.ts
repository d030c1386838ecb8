import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { makeBackup } from '@/test/backup-records';
import { dataDir, db } from '@/test/database';
import { makeNode } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { setSettings } from '@/test/settings';
import { reconcileBackups } from './reconcile';

const folder = join(dataDir, 'backups');
setSettings({ BACKUP_TARGET: `file:${folder}` });
const api = await keyClient();

beforeEach(async () => {
  await db.backup.deleteMany();
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  writeFileSync(join(folder, 'postroom-backups'), '');
});

const put = (name: string) => writeFileSync(join(folder, name), 'seven b');
const list = async () => (await api.get('/backups')).data;
const known = (over: Parameters<typeof makeBackup>[0]) =>
  makeBackup({ name: 'known.age', location: folder, host: hostname(), ...over });

it('an archive that no record knows is listed once, with the time in its name', async () => {
  put('postroom-2026-05-01T03-00-02Z.age');
  put('by-hand.age');
  put('postroom-2026-05-02T03-00-02Z.age.part');
  await Promise.all([reconcileBackups(db, new Date()), reconcileBackups(db, new Date())]);
  await reconcileBackups(db, new Date());
  const found = { trigger: 'found', status: 'completed', location: folder, size_bytes: 7, rows: null, checksum: null };
  expect(await list()).toMatchObject([
    { name: 'by-hand.age', ...found },
    { name: 'postroom-2026-05-01T03-00-02Z.age', started_at: '2026-05-01T03:00:02.000Z', ...found },
  ]);
});

it('an archive with a time in the future, or a name that is not ours, is listed as of when it was stored or found', async () => {
  put('postroom-2999-05-01T03-00-02Z.age');
  put('by-hand.age');
  utimesSync(join(folder, 'by-hand.age'), new Date('2999-01-01'), new Date('2999-01-01'));
  put('2026-05-01T03-00-02Z.age');
  const now = new Date();
  await reconcileBackups(db, now);
  const found = await db.backup.findMany();
  expect(found).toHaveLength(3);
  for (const { name, startedAt, finishedAt } of found) {
    expect(now.getTime() - startedAt.getTime(), name).toBeLessThan(60_000);
    expect(startedAt <= now && finishedAt && finishedAt <= now, name).toBe(true);
  }
});

it('an archive that is gone is missing until it is back', async () => {
  await known({ rows: 3 });
  await reconcileBackups(db, new Date());
  expect(await list()).toMatchObject([{ status: 'missing', error: `The archive is no longer in ${folder}.`, rows: 3 }]);
  put('known.age');
  await reconcileBackups(db, new Date());
  expect(await list()).toMatchObject([{ status: 'completed', error: null, rows: 3 }]);
});

it('no archive is missing while the disk of the folder is not mounted', async () => {
  await known({ trigger: 'schedule' });
  rmSync(join(folder, 'postroom-backups'));
  await expect(reconcileBackups(db, new Date())).rejects.toThrow(`${folder} is not the folder of the backups`);
  expect(await list()).toMatchObject([{ status: 'completed' }]);
});

it('a backup that failed because its name was taken does not get the archive of the other server', async () => {
  await known({ status: 'failed', sizeBytes: null, error: 'known.age exists already.' });
  put('known.age');
  await reconcileBackups(db, new Date());
  expect(await list()).toMatchObject([{ status: 'failed', size_bytes: null }]);
});

it('an archive that another host has in a folder of its own is not missing, while an instance is there', async () => {
  const node = await makeNode();
  await known({ host: node.host });
  await reconcileBackups(db, new Date());
  expect(await list()).toMatchObject([{ status: 'completed' }]);
  await db.clusterNode.delete({ where: { id: node.id } });
  await reconcileBackups(db, new Date());
  expect(await list()).toMatchObject([{ status: 'missing' }]);
});

it('a backup whose archive was complete when Postroom was killed is completed', async () => {
  await known({ status: 'failed', sizeBytes: null, error: 'Postroom stopped while it ran.' });
  put('known.age');
  await reconcileBackups(db, new Date());
  expect(await list()).toMatchObject([{ status: 'completed', error: null, size_bytes: 7 }]);
});

it('neither a backup that is being made nor one elsewhere is touched', async () => {
  await known({ status: 'running', finishedAt: null });
  await makeBackup();
  await reconcileBackups(db, new Date());
  expect((await list()).map(({ status }: { status: string }) => status).toSorted()).toEqual(['completed', 'running']);
});

import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { dataDir, db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { operationsEnded } from './run';

const api = await keyClient();

async function done(path: string, body: object = {}) {
  const { status, data } = await api.post(path, body);
  expect(status).toBe(202);
  await operationsEnded();
  return data;
}

/** Keeps everything waiting that uses a table. */
async function hold(table: string): Promise<() => Promise<void>> {
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE ${table}`);
  return () => client.end();
}

it('a restore stores what it did with its end, while waiting requests hold all connections of the app', async () => {
  const { id } = await done('/backups');
  const releaseAlias = await hold('alias');
  const { data } = await api.post(`/backups/${id}/restore`, {});
  // A restore doesn't touch it.
  const releaseBackup = await hold('backup');
  onTestFinished(releaseBackup);
  const waiting = Promise.allSettled(Array.from({ length: 30 }, () => db.backup.count()));
  await releaseAlias();
  await operationsEnded();
  await releaseBackup();
  await waiting;
  expect((await api.get(`/backups/operations/${data.id}`)).data).toMatchObject({
    state: 'succeeded',
    message: expect.stringMatching(
      /^Restored [\d,]+ rows\. Everyone has to sign in again\. 2 newer audit entries are kept\.$/,
    ),
  });
});

it('an archive that was replaced by another whole one is refused, and nothing is restored', async () => {
  const [other, { id, name }] = [await done('/backups'), await done('/backups')];
  const folder = join(dataDir, 'backups');
  copyFileSync(join(folder, other.name), join(folder, name));
  const { id: created } = await makeDomain();
  for (const [action, body] of [
    ['verify', {}],
    ['prove', {}],
    ['restore', { dry_run: true }],
    ['restore', {}],
  ] as const) {
    const operation = await done(`/backups/${id}/${action}`, body);
    expect((await api.get(`/backups/operations/${operation.id}`)).data, action).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('was replaced: its SHA-256 sum'),
    });
  }
  expect(await db.domain.count({ where: { id: created } })).toBe(1);
  expect((await api.get(`/backups/${id}`)).data.proof).toMatchObject({ state: 'failed' });
});

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '@/server/clock';
import { makeBackup, runBackupOperation } from '@/test/backup-records';
import { dataDir, db } from '@/test/database';
import { makeAlias, makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { interruptExpired, renewLease } from './operations/lease';
import { operationsEnded, stopOperations } from './operations/run';
import { deleteOldBackupRecords } from './tasks';

const folder = join(dataDir, 'backups');
const api = await keyClient();

beforeEach(async () => {
  await db.backupOperation.deleteMany();
  await db.backup.deleteMany();
  // Names are by the second.
  rmSync(folder, { recursive: true, force: true });
});
afterEach(operationsEnded);

async function made() {
  const { status, data } = await api.post('/backups', {});
  expect(status).toBe(202);
  await operationsEnded();
  return (await api.get(`/backups/${data.id}`)).data;
}

async function done(path: string, body: object = {}) {
  const { status, data } = await api.post(path, body);
  expect(status).toBe(202);
  expect(data).toMatchObject({ state: 'running', finished_at: null });
  await operationsEnded();
  return (await api.get(`/backups/operations/${data.id}`)).data;
}

/** Keeps everything waiting that reads or replaces a table. */
async function hold(table: string): Promise<() => Promise<void>> {
  const client = new pg.Client(process.env.DATABASE_URL);
  await client.connect();
  await client.query(`BEGIN; LOCK TABLE ${table}`);
  return () => client.end();
}

const auditOf = (id: string) => db.auditEntry.findMany({ where: { resource: `backup:${id}` }, orderBy: { id: 'asc' } });

describe('a backup', () => {
  it('is made out of the request, and has its size, sum, rows and version', async () => {
    const backup = await made();
    const stored = readFileSync(join(folder, backup.name));
    expect(backup).toMatchObject({
      trigger: 'request',
      status: 'completed',
      location: folder,
      size_bytes: stored.byteLength,
      checksum: createHash('sha256').update(stored).digest('hex'),
      version: '0.1.0',
      error: null,
      proof: { state: 'none', at: null },
    });
    expect(backup.rows).toBeGreaterThan(0);
    const [operation] = (await api.get('/backups/operations')).data;
    expect(operation).toMatchObject({
      action: 'create',
      backup_id: backup.id,
      state: 'succeeded',
      requested_by: { id: api.admin.id },
      progress: { rows: backup.rows, bytes: backup.size_bytes },
    });
    expect(operation.progress.tables_done).toBe(operation.progress.tables_total);
    const entries = await auditOf(backup.id);
    expect(entries.map(({ action, outcome, adminId }) => ({ action, outcome, adminId }))).toEqual([
      { action: 'backup.create', outcome: 'success', adminId: api.admin.id },
      { action: 'backup.finish', outcome: 'success', adminId: api.admin.id },
    ]);
  });

  it('is the only operation at a time: of 8 at once, one starts and the others name it', async () => {
    const release = await hold('alias');
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.post('/backups', {})));
    const [started, ...more] = answers.filter(({ status }) => status === 202);
    expect(more).toEqual([]);
    await release();
    const operation = await db.backupOperation.findFirstOrThrow();
    expect(operation.backupId).toBe(started?.data.id);
    for (const answer of answers.filter((each) => each !== started)) {
      const { error } = expectError(answer, 409, 'CONFLICT');
      expect(error.details.operation_id).toBe(operation.id);
    }
    expect(await db.backup.count()).toBe(1);
  });

  it('is listed page by page, and downloaded as it is stored', async () => {
    const [older, backup] = [await made(), await made()];
    const first = await api.get('/backups?limit=1');
    expect(first.data).toMatchObject([{ id: backup.id }]);
    const cursor = first.meta.pagination?.next_cursor;
    expect((await api.get(`/backups?limit=1&cursor=${cursor}`)).data).toMatchObject([{ id: older.id }]);
    const response = await api.download(`/backups/${backup.id}/download`);
    expect(response.headers.get('content-disposition')).toContain(backup.name);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(readFileSync(join(folder, backup.name)));
    expect((await auditOf(backup.id)).at(-1)).toMatchObject({ action: 'backup.download', adminId: api.admin.id });
  });

  it('is deleted with its archive, unless it is in use', async () => {
    const { id, name } = await made();
    await runBackupOperation();
    await db.backupOperation.updateMany({ where: { finishedAt: null }, data: { backupId: id } });
    expectError(await api.delete(`/backups/${id}`), 409, 'CONFLICT');
    expect(readdirSync(folder)).toContain(name);
    await db.backupOperation.deleteMany();
    expect((await api.delete(`/backups/${id}`)).status).toBe(200);
    expect(readdirSync(folder)).not.toContain(name);
    expectError(await api.get(`/backups/${id}`), 404, 'NOT_FOUND');
  });

  it('that can’t be stored fails with a sentence, and leaves nothing', async () => {
    writeFileSync(folder, 'a file in its place');
    const backup = await made();
    expect(backup).toMatchObject({ status: 'failed', size_bytes: null });
    expect(backup.error).toMatch(/^Backup storage didn’t respond \(.*ENOTDIR.*\)\. Check BACKUP_TARGET/);
    expectError(await api.post(`/backups/${backup.id}/verify`, {}), 409, 'CONFLICT');
  });
});

it('a folder whose disk is not mounted gets no backup until it is', async () => {
  await made();
  renameSync(folder, `${folder}-away`);
  for (const mountPoint of [null, folder]) {
    if (mountPoint) mkdirSync(mountPoint);
    const { error, status } = await made();
    expect({ error, status }).toEqual({
      status: 'failed',
      error: `${folder} is not the folder of the backups: it has no file postroom-backups. Mount its disk. If the disk was replaced, create that file.`,
    });
    expect(existsSync(folder) ? readdirSync(folder) : []).toEqual([]);
  }
  rmSync(folder, { recursive: true });
  renameSync(`${folder}-away`, folder);
  expect((await made()).status).toBe('completed');
});

describe('an archive', () => {
  it('that is whole is verified, and one that is damaged fails with the reason', async () => {
    const { id, name, rows } = await made();
    expect(await done(`/backups/${id}/verify`)).toMatchObject({
      state: 'succeeded',
      message: expect.stringContaining('unaltered'),
      progress: { rows },
    });
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file).subarray(0, -1));
    const { state, message } = await done(`/backups/${id}/verify`);
    expect({ state, message }).toEqual({ state: 'failed', message: expect.stringContaining('damaged or incomplete') });
    expect((await api.get(`/backups/${id}`)).data.proof).toMatchObject({ state: 'failed', message });
    rmSync(file);
    expect((await done(`/backups/${id}/verify`)).message).toBe(`${name} is not in ${folder}.`);
  });

  it('is proven by a restore into a database of its own, or shown as not proven with the reason', async () => {
    const { id, name, rows } = await made();
    expect(await done(`/backups/${id}/prove`)).toMatchObject({ action: 'prove', state: 'succeeded' });
    expect((await api.get(`/backups/${id}`)).data.proof).toMatchObject({ state: 'proven', at: expect.any(String) });
    expect((await api.get('/backups/plan')).data.last_proven).toMatchObject({ id, rows });
    const file = join(folder, name);
    writeFileSync(file, readFileSync(file).subarray(0, 100));
    const { state, message } = await done(`/backups/${id}/prove`);
    expect(state).toBe('failed');
    expect((await api.get(`/backups/${id}`)).data.proof).toMatchObject({ state: 'failed', message });
    expect((await auditOf(id)).at(-1)).toMatchObject({ action: 'backup.finish', outcome: 'error' });
  });

  it('is restored after a dry run that says what would change, with an entry in the restored audit log', async () => {
    const domain = await makeDomain({ name: 'kept.example' });
    await makeAlias(domain.id, 'hello', 'ann@b.example');
    const { id } = await made();
    await db.alias.deleteMany();
    await db.domain.deleteMany();
    const preview = await done(`/backups/${id}/restore`, { dry_run: true });
    expect(preview).toMatchObject({ action: 'preview', state: 'succeeded' });
    expect(preview.result.differences).toContainEqual(
      expect.objectContaining({
        table: 'domain',
        added: 1,
        examples: expect.objectContaining({ added: ['kept.example'] }),
      }),
    );
    expect(await db.domain.count()).toBe(0);
    const restored = await done(`/backups/${id}/restore`);
    expect(restored).toMatchObject({ action: 'restore', state: 'succeeded' });
    expect(restored.message).toMatch(
      /^Restored [\d,]+ rows\. Everyone has to sign in again\. 4 newer audit entries are kept\.$/,
    );
    expect(await db.alias.count()).toBe(1);
    expect((await api.get(`/backups/${id}`)).data).toMatchObject({ status: 'completed' });
    expect(await db.auditEntry.findMany({ where: { action: 'backup.restore' } })).toMatchObject([
      ...['preview', 'restore'].map((action) => ({
        adminId: api.admin.id,
        resource: `backup:${id}`,
        details: { action },
      })),
      {
        ...{ outcome: 'success', adminId: api.admin.id, resource: `backup:${id}` },
        details: { operation_id: restored.id, kept_entries: 4, former_head: { seq: expect.any(String) } },
      },
    ]);
  });
});

describe('an operation', () => {
  const start = async () => {
    await runBackupOperation();
    const row = await db.backupOperation.findFirstOrThrow();
    return { id: row.id, token: row.leaseToken };
  };
  const expire = () =>
    db.$executeRaw`UPDATE backup_operation SET leased_until = now() - interval '1 second' WHERE finished_at IS NULL`;

  it('whose runner is gone is interrupted, its backup failed, and the next one can start', async () => {
    const lease = await start();
    const backup = await makeBackup({ status: 'running', finishedAt: null });
    await db.backupOperation.updateMany({ data: { action: 'create', backupId: backup.id } });
    expect(await renewLease(db, lease, { table: 'alias', done: 1, total: 9, rows: 5, bytes: 7 })).toBe(true);
    expectError(await api.post('/backups', {}), 409, 'CONFLICT');
    await expire();
    await db.$transaction((tx) => interruptExpired(tx, systemClock));
    expect((await api.get(`/backups/operations/${lease.id}`)).data).toMatchObject({
      state: 'interrupted',
      progress: { table: 'alias', tables_done: 1, rows: 5, bytes: 7 },
    });
    expect((await api.get(`/backups/${backup.id}`)).data).toMatchObject({
      status: 'failed',
      error: 'Postroom stopped while it ran.',
    });
    expect(await renewLease(db, lease, { table: null, done: 0, total: 0, rows: 0, bytes: 0 })).toBe(false);
    expect((await made()).status).toBe('completed');
  });

  it('whose runner was killed is interrupted before its lease ends, since it holds no lock', async () => {
    const { id } = await start();
    await db.$executeRaw`UPDATE backup_operation SET started_at = now() - interval '11 seconds'`;
    const holder = new pg.Client(process.env.DATABASE_URL);
    await holder.connect();
    await holder.query('SELECT pg_advisory_lock(7203019)');
    expectError(await api.post('/backups', {}), 409, 'CONFLICT');
    await holder.end();
    await expect.poll(async () => (await api.post('/backups', {})).status).toBe(202);
    expect((await api.get(`/backups/operations/${id}`)).data).toMatchObject({ state: 'interrupted' });
  });

  it('that was taken for dead leaves no archive behind', async () => {
    const release = await hold('alias');
    const { data } = await api.post('/backups', {});
    await expire();
    await release();
    await operationsEnded();
    await db.$transaction((tx) => interruptExpired(tx, systemClock));
    expect((await api.get(`/backups/${data.id}`)).data).toMatchObject({ status: 'failed' });
    expect(readdirSync(folder)).not.toContain(data.name);
  });

  it('that restores and was taken for dead changes nothing', async () => {
    const { id } = await made();
    const { id: created } = await makeDomain();
    const release = await hold('alias');
    const { data } = await api.post(`/backups/${id}/restore`, {});
    await expire();
    await release();
    await operationsEnded();
    await db.$transaction((tx) => interruptExpired(tx, systemClock));
    expect((await api.get(`/backups/operations/${data.id}`)).data).toMatchObject({ state: 'interrupted' });
    expect(await db.domain.count({ where: { id: created } })).toBe(1);
  });

  it('that this process runs when it stops is interrupted, without a part of an archive', async () => {
    const release = await hold('alias');
    const { data } = await api.post('/backups', {});
    await expect
      .poll(() => (existsSync(folder) ? readdirSync(folder) : []))
      .toContainEqual(expect.stringMatching(`^${data.name}.*part$`));
    await stopOperations();
    await release();
    expect((await api.get(`/backups/${data.id}`)).data).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('stopped'),
    });
    expect((await api.get('/backups/operations')).data[0]).toMatchObject({ state: 'interrupted' });
    expect(readdirSync(folder).filter((name) => name.startsWith(data.name))).toEqual([]);
  });

  it('is deleted after 90 days, and so is a record without an archive', async () => {
    const old = new Date(Date.now() - 91 * 86_400_000);
    await start();
    await db.backupOperation.updateMany({ data: { finishedAt: old } });
    await makeBackup({ startedAt: old });
    await makeBackup({ startedAt: old, status: 'failed' });
    await deleteOldBackupRecords(db);
    expect(await db.backupOperation.count()).toBe(0);
    expect(await db.backup.findMany()).toMatchObject([{ status: 'completed' }]);
  });
});

it('the plan names the location, the key and the last backup', async () => {
  const { id } = await made();
  const { data } = await api.get('/backups/plan');
  expect(data).toMatchObject({
    location: folder,
    encryption: { kind: 'keys', key_file: join(dataDir, 'backup-key') },
    last_completed: { id },
    last_proven: null,
    running: null,
  });
  expect(data.encryption.recipients).toEqual([expect.stringMatching(/^age1/)]);
});

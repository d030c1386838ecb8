import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openAuditAnchor, setAuditAnchor } from '@/modules/audit/anchor/anchor';
import type { AuditVerification } from '@/modules/audit/schema';
import { sealAuditEntries } from '@/modules/audit/seal';
import { alterAuditLog, EMPTIED, writeEntry } from '@/test/audit-log';
import { backUp, connect, sourceOf } from '@/test/backups';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { keyClient } from '@/test/rest';
import type { LoadResult } from './load';
import { previewRestore, restore } from './restore';

const client = await connect(String(process.env.DATABASE_URL));
const dataDir = await mkdtemp(join(tmpdir(), 'postroom-restored-log-'));
afterAll(() => rm(dataDir, { recursive: true }));

let clock: ReturnType<typeof manualClock>;
let folders = 0;
let anchor: ReturnType<typeof openAuditAnchor>;

beforeEach(async () => {
  clock = manualClock(new Date().toISOString());
  await alterAuditLog(EMPTIED);
  anchor = setAuditAnchor(openAuditAnchor(join(dataDir, `${++folders}`), clock));
});

async function write(count: number, action: string): Promise<void> {
  for (let i = 0; i < count; i += 1) await writeEntry(clock.now(), action);
  await sealAuditEntries(db, anchor);
}

const actions = async () => {
  const rows = await db.auditEntry.findMany({ orderBy: { seq: 'asc' }, select: { action: true } });
  return rows.map(({ action }) => action);
};

const verify = async () => (await (await keyClient()).get('/audit/verify?full=true')).data as AuditVerification;

async function restored(archive: Buffer): Promise<LoadResult> {
  let result: LoadResult | undefined;
  await restore(client, sourceOf(archive), {
    record: async (done) => {
      result = done;
    },
  });
  return result as LoadResult;
}

const previewed = async (archive: Buffer) => {
  const differences = await previewRestore(client, sourceOf(archive));
  return differences.find(({ table }) => table === 'audit_entry');
};

it('a restore keeps the entries and counted attempts since the backup, in their chain', async () => {
  await write(3, 'alias.create');
  const archive = await backUp(client);
  await write(4, 'domain.delete');
  await writeEntry(clock.now(), 'domain.update');
  await db.deniedAttempt.create({
    data: {
      ...{ network: '192.0.2.1', action: 'session.create', code: 'INVALID_CREDENTIALS', account: 'a@b.example' },
      ...{
        resource: 'session',
        ipAddress: '192.0.2.1',
        userAgent: '',
        requestId: '00000000-0000-7000-8000-000000000000',
      },
      ...{ attempts: 7, firstAt: clock.now(), lastAt: clock.now() },
    },
  });
  const head = await db.auditHead.findUniqueOrThrow({ where: { id: 1 } });
  expect(await previewed(archive)).toMatchObject({ removed: 0, leftOut: ['5 newer audit entries are kept.'] });
  expect(await restored(archive)).toMatchObject({
    leftOut: ['5 newer audit entries are kept.'],
    audit: { kept: 5, formerHead: { seq: '7', hash: Buffer.from(head.hash).toString('hex') } },
  });
  await sealAuditEntries(db, anchor);
  expect(await actions()).toEqual([
    ...Array(3).fill('alias.create'),
    ...Array(4).fill('domain.delete'),
    'domain.update',
  ]);
  expect(await verify()).toMatchObject({ valid: true, sealed: 8, untimely_entries: 0 });
  expect(await db.deniedAttempt.findMany()).toMatchObject([{ attempts: 7 }]);
  expect(await db.auditAccepted.count()).toBe(0);
});

it('a restore into another database appends its entries to the log of the backup, which instances follow', async () => {
  await write(5, 'alias.create');
  const archive = await backUp(client);
  await write(4, 'domain.delete');
  await alterAuditLog(EMPTIED);
  await sealAuditEntries(db, null);
  await writeEntry(clock.now(), 'admin.create');
  await sealAuditEntries(db, null);
  await sealAuditEntries(db, anchor);
  expect(anchor.check()).toMatchObject([{ status: 'down' }]);

  expect(await previewed(archive)).toMatchObject({ added: 5, removed: 0, leftOut: ['1 newer audit entry is kept.'] });
  expect((await restored(archive)).audit).toMatchObject({ kept: 1, formerHead: { seq: '1' } });
  await sealAuditEntries(db, anchor);
  expect(anchor.check()).toMatchObject([{ status: 'ok' }]);
  expect(await actions()).toEqual([...Array(5).fill('alias.create'), 'admin.create']);
  expect(await verify()).toMatchObject({ valid: true, sealed: 6 });
});

it('an archive that somebody made with altered entries takes away none of the true ones', async () => {
  await write(3, 'alias.create');
  await alterAuditLog('CREATE TABLE true_entry AS TABLE audit_entry; CREATE TABLE true_head AS TABLE audit_head');
  await alterAuditLog(`UPDATE audit_entry SET action = 'alias.update', seq = NULL, hash = NULL WHERE seq = 2;
    UPDATE audit_entry SET seq = NULL, hash = NULL; UPDATE audit_head SET seq = 0, hash = '', signature = NULL`);
  await sealAuditEntries(db, null);
  const forged = await backUp(client);
  await alterAuditLog(`TRUNCATE audit_entry, audit_head; INSERT INTO audit_entry SELECT * FROM true_entry;
    INSERT INTO audit_head SELECT * FROM true_head; DROP TABLE true_entry, true_head`);
  expect((await restored(forged)).audit).toMatchObject({ kept: 1 });
  await sealAuditEntries(db, anchor);
  expect((await actions()).toSorted()).toEqual([...Array(3).fill('alias.create'), 'alias.update']);
});

it('a restore of a backup with another SECRET_KEY signs its log with the present one', async () => {
  const secretKey = String(process.env.SECRET_KEY);
  await write(2, 'alias.create');
  const archive = await backUp(client, { secret_keys: ['f'.repeat(40), secretKey] });
  await alterAuditLog(EMPTIED);
  await restored(archive);
  const instance = setAuditAnchor(openAuditAnchor(join(dataDir, 'new'), clock));
  await sealAuditEntries(db, instance);
  expect(instance.check()).toMatchObject([{ status: 'ok' }]);
  expect(await verify()).toMatchObject({ valid: true, sealed: 2 });
});

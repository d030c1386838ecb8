import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { REPOSITORY_DAMAGED } from '@/lib/mail/operations';
import { uuidv7 } from '@/lib/uuid';
import type { MailBackupPlan } from '@/mail/agent/backup/plan';
import { recordHeartbeat } from '@/modules/mail-server/requests';
import { systemClock } from '@/server/clock';
import { applySaved, env } from '@/server/settings/env';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { publishPlan, readPlan } from './plan';
import { publishOwnPlan } from './publish';
import { backupRecords } from './records';
import { nextRun, startDueBackup } from './schedule';
import { checkMailBackups } from './service';

const HOST = 'mail.example.test';
const REPOSITORY = '/mnt/backups/mail';
const PLAN: MailBackupPlan = {
  password: 'AGE-SECRET-KEY-1QQQ',
  target: { kind: 's3', bucket: 'letters', prefix: '', endpoint: 'https://s3.example.com', region: 'eu-central-1' },
  credentials: { accessKeyId: 'id', secretAccessKey: 'secret' },
  schedule: { time: '03:00' },
  keep: { daily: 7, weekly: 4, monthly: 6 },
};
const SIZES = { bytesAdded: 10, bytes: 1000, files: 3 };
const snapshot = (letter: string, day: number) => ({
  id: letter.repeat(64),
  takenAt: new Date(Date.UTC(2026, 10, day, 3)),
  sizes: null,
});

const api = await keyClient();
const records = backupRecords(db, HOST);
async function saveBackup(...saved: Parameters<typeof records.saveSnapshots>): Promise<void> {
  await records.saveSnapshots(...saved);
  await records.saveSuccess();
}

beforeEach(async () => {
  for (const table of [db.operation, db.mailBackup, db.mailSnapshot, db.mailBackupPlan] as never[])
    await (table as { deleteMany: () => Promise<unknown> }).deleteMany();
  await recordHeartbeat(db, { host: HOST, instance: uuidv7(), version: '0.1.0' });
});

describe('the plan', () => {
  it('reaches the agent as the app has it, and is encrypted in the database', async () => {
    expect(await readPlan(db)).toBeNull();
    await publishPlan(db, PLAN);
    expect(await readPlan(db)).toEqual(PLAN);
    const row = await db.mailBackupPlan.findFirstOrThrow();
    expect(Buffer.from(row.sealed).includes('AGE-SECRET-KEY')).toBe(false);
    await publishPlan(db, PLAN);
    expect(await db.mailBackupPlan.findFirstOrThrow(), 'an unchanged plan').toEqual(row);
    await publishPlan(db, { ...PLAN, target: null });
    expect(await readPlan(db)).toEqual({ ...PLAN, target: null });
  });
});

describe('the plan of an instance', () => {
  const keyFile = join(env().dataDir, 'backup-key');
  const keyLine = 'AGE-SECRET-KEY-1OWN';
  const publish = async (key = keyLine) => {
    writeFileSync(keyFile, `# A comment.\n${key}\n`);
    await publishOwnPlan(db);
    return readPlan(db);
  };

  beforeEach(() => {
    mkdirSync(env().dataDir, { recursive: true });
    const former = existsSync(keyFile) ? readFileSync(keyFile) : null;
    return () => {
      applySaved({});
      return former ? writeFileSync(keyFile, former) : rmSync(keyFile, { force: true });
    };
  });

  it('has its settings and its key, as they are now', async () => {
    rmSync(keyFile, { force: true });
    await publishOwnPlan(db);
    expect(await readPlan(db), 'before the first backup has made a key').toBeNull();
    const keep = { daily: 7, weekly: 0, monthly: 0 };
    expect(await publish()).toMatchObject({ password: keyLine, target: null, schedule: { time: '03:00' }, keep });
    applySaved({ BACKUP_TIME: 'off', BACKUP_KEEP_WEEKLY: '4' });
    expect(await publish()).toMatchObject({ schedule: null, keep: { ...keep, weekly: 4 } });
  });

  it('keeps the key that the repository was made with, and the health check says so', async () => {
    await publish();
    await startDueBackup(db, systemClock, HOST);
    expect(await checkMailBackups(db)).toMatchObject([{ status: 'ok' }]);
    expect(await publish('AGE-SECRET-KEY-1OTHER')).toMatchObject({ password: keyLine });
    const message = expect.stringContaining('another backup key');
    expect(await checkMailBackups(db)).toMatchObject([{ status: 'degraded', message }]);
    await publishPlan(db, { ...PLAN, password: keyLine });
    expect(await publish('AGE-SECRET-KEY-1OTHER'), 'for another target').toMatchObject({ target: null });
    expect(await readPlan(db)).toMatchObject({ password: 'AGE-SECRET-KEY-1OTHER' });
  });
});

describe('the next run', () => {
  const history = {
    plannedSince: new Date('2026-11-22T02:59:00Z'),
    lastSuccessAt: null,
    failures: 0,
    lastFailureAt: null,
  };
  const next = (over: object) => nextRun(PLAN, { ...history, ...over })?.toISOString();

  it('is the first time of day after the last success, also if that is past', () => {
    expect(next({})).toBe('2026-11-22T03:00:00.000Z');
    expect(next({ lastSuccessAt: new Date('2026-11-22T03:00:00Z') })).toBe('2026-11-23T03:00:00.000Z');
    expect(next({ lastSuccessAt: new Date('2026-11-30T23:00:00Z') })).toBe('2026-12-01T03:00:00.000Z');
    expect(nextRun({ schedule: null }, history)).toBeNull();
  });

  it('is later and later after failures, up to six hours', () => {
    const lastFailureAt = new Date('2026-11-22T10:00:00Z');
    expect(next({ failures: 1, lastFailureAt })).toBe('2026-11-22T10:15:00.000Z');
    expect(next({ failures: 3, lastFailureAt })).toBe('2026-11-22T11:00:00.000Z');
    expect(next({ failures: 40, lastFailureAt })).toBe('2026-11-22T16:00:00.000Z');
  });

  it('starts one backup when it is due, without an admin, and a check a week after the first', async () => {
    const look = () => startDueBackup(db, systemClock, HOST);
    const planned = (at: Date) => db.mailBackup.updateMany({ data: { plannedSince: at } });
    await look();
    expect(await db.operation.count(), 'without a plan').toBe(0);
    await publishPlan(db, PLAN);
    await look();
    expect(await db.operation.count(), 'before it is due').toBe(0);
    await planned(new Date(0));
    await Promise.all([1, 2, 3].map(look));
    const operations = (await api.get('/orchestrator/operations')).data;
    expect(operations).toMatchObject([{ action: 'backup_mail', host: HOST, state: 'queued', requested_by: null }]);
    await db.operation.deleteMany();
    const taken = snapshot('a', 22);
    await saveBackup(REPOSITORY, [taken], { ...taken, sizes: SIZES });
    await db.mailBackup.updateMany({ data: { lastSuccessAt: new Date(), plannedSince: new Date(0) } });
    await look();
    expect(await db.operation.findMany()).toMatchObject([{ action: 'check_mail', lane: 'mail_backup' }]);
    const checkedHoursAgo = async (hours: number, failure: string) => {
      await db.operation.deleteMany();
      const lastCheckAt = new Date(Date.now() - hours * 3_600_000);
      await db.mailBackup.updateMany({ data: { lastCheckAt, checkFailure: failure } });
      await look();
      return db.operation.count();
    };
    expect(await checkedHoursAgo(5, 'It can’t be reached.')).toBe(0);
    expect(await checkedHoursAgo(7, 'It can’t be reached.')).toBe(1);
    expect(await checkedHoursAgo(7, REPOSITORY_DAMAGED)).toBe(0);
  });

  it('is at most a day away after a clock was wrong, also the one of the agent', async () => {
    await publishPlan(db, PLAN);
    const look = () => startDueBackup(db, { now: () => new Date('2100-01-01T00:00:00Z') }, HOST);
    await look();
    expect(await db.operation.count(), 'by the clock of the agent').toBe(0);
    const wrong = new Date(Date.now() + 400 * 86_400_000);
    await db.mailBackup.updateMany({ data: { lastSuccessAt: wrong, lastCheckAt: wrong, plannedSince: wrong } });
    const message = expect.stringContaining('dated in the future');
    expect(await checkMailBackups(db)).toMatchObject([{ status: 'degraded', message }]);
    await look();
    const { lastSuccessAt, lastCheckAt } = await db.mailBackup.findUniqueOrThrow({ where: { host: HOST } });
    for (const at of [lastSuccessAt, lastCheckAt]) expect(Number(at)).toBeLessThanOrEqual(Date.now());
    const [server] = (await api.get('/backups/mail')).data.mail_servers;
    expect(Date.parse(server.next_run_at)).toBeLessThanOrEqual(Date.now() + 86_400_000);
    expect(await checkMailBackups(db)).toMatchObject([{ status: 'ok' }]);
  });
});

describe('backups of mail', () => {
  it('are listed with what they added, and those that are gone are not', async () => {
    await publishPlan(db, PLAN);
    const [first, second] = [snapshot('a', 21), snapshot('b', 22)];
    await saveBackup(REPOSITORY, [first], { ...first, id: 'a'.repeat(8), sizes: SIZES });
    await records.saveFailure('A disk is full.');
    const { data: failed } = await api.get('/backups/mail');
    expect(failed.mail_servers).toMatchObject([{ host: HOST, failure: 'A disk is full.', repository: REPOSITORY }]);
    await saveBackup(REPOSITORY, [second], { ...second, id: 'b'.repeat(8), sizes: SIZES });
    await records.saveCheck('The repository is damaged.');
    const { data } = await api.get('/backups/mail');
    expect(data.snapshots).toEqual([
      { id: second.id, host: HOST, taken_at: '2026-11-22T03:00:00.000Z', added_bytes: 10, size_bytes: 1000, files: 3 },
    ]);
    expect(data.mail_servers).toMatchObject([
      {
        failure: '',
        last_failure_at: null,
        check_failure: 'The repository is damaged.',
        next_run_at: expect.any(String),
      },
    ]);
    expect(JSON.stringify(data)).not.toContain('secret');
  });

  it('are left to the agent with what is to be restored, and audited', async () => {
    const taken = snapshot('c', 22);
    await saveBackup(REPOSITORY, [taken], taken);
    const domain = await makeDomain();
    const mailbox = await makeMailbox(domain.id, 'ann');
    const address = `ann@${domain.name}`;
    const body = { mailbox: address.toUpperCase(), mode: 'in_place' };
    const { status, data } = await api.post(`/backups/mail/${taken.id}/restore`, body);
    expect(status).toBe(202);
    const input = { snapshot: taken.id, mailbox: address, mode: 'in_place' };
    expect(data).toMatchObject({ action: 'restore_mail', host: HOST, input });
    expect((await api.get('/backups/mail')).data.running_operation_id).toBe(data.id);
    const row = await db.operation.findUniqueOrThrow({ where: { id: data.id } });
    expect(row.input).toMatchObject({ folder: `${domain.name}/ann/${mailbox.id}` });
    const [entry] = await db.auditEntry.findMany({ where: { resource: `operation:${data.id}` } });
    expect(entry).toMatchObject({ action: 'mail_backup.restore', details: { after: { input } } });
    const busy = expectError(await api.post('/backups/mail', {}), 409, 'ORCHESTRATOR_BUSY');
    expect(busy.error.details.operation_id).toBe(data.id);
    expect((await api.post('/orchestrator/operations', { action: 'reload' })).status, 'in another lane').toBe(202);
    expect((await api.get('/orchestrator')).data.running).toMatchObject({ action: 'reload' });
  });

  it('cannot be started as an operation on services, or without a mail server', async () => {
    const call = await api.post('/orchestrator/operations', { action: 'restore_mail' });
    expectError(call, 400, 'VALIDATION_ERROR');
    await db.mailAgent.deleteMany();
    expectError(await api.post('/backups/mail', {}), 503, 'MAIL_STACK_UNAVAILABLE');
  });
});

describe('the health check', () => {
  const status = async () => (await checkMailBackups(db))[0]?.status;
  const lastSuccess = (hours: number) =>
    db.mailBackup.updateMany({ data: { lastSuccessAt: new Date(Date.now() - hours * 3_600_000) } });

  it('fails with the age of the last backup, the reason of a failure, and a damaged repository', async () => {
    expect(await checkMailBackups(db)).toEqual([]);
    await publishPlan(db, PLAN);
    await startDueBackup(db, systemClock, HOST);
    expect(await checkMailBackups(db)).toMatchObject([{ name: 'mail_backup', subject: HOST, status: 'ok' }]);
    await lastSuccess(27);
    expect(await status()).toBe('degraded');
    await lastSuccess(75);
    expect(await status()).toBe('down');
    await lastSuccess(1);
    await records.saveFailure('A disk is full.');
    expect(await checkMailBackups(db)).toMatchObject([{ status: 'degraded', message: 'A disk is full.' }]);
    await records.saveSuccess();
    await records.saveCheck('It can’t be reached.');
    const message = 'The last backup couldn’t be checked. It can’t be reached.';
    expect(await checkMailBackups(db)).toMatchObject([{ status: 'degraded', message }]);
    await records.saveCheck(REPOSITORY_DAMAGED);
    expect(await checkMailBackups(db)).toMatchObject([{ status: 'down', message: REPOSITORY_DAMAGED }]);
    await db.mailBackup.updateMany({ data: { seenAt: new Date(0) } });
    expect(await checkMailBackups(db), 'of a mail server that is gone').toEqual([]);
  });
});

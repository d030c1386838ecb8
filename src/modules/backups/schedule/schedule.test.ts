import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { applySaved } from '@/server/settings/env';
import { makeBackup, runBackupOperation } from '@/test/backup-records';
import { manualClock } from '@/test/clock';
import { dataDir, db } from '@/test/database';
import { makeNode } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { setSettings } from '@/test/settings';
import { interruptExpired } from '../operations/lease';
import { stopOperations } from '../operations/run';
import { deleteSurplus, surplus } from './retention';
import { runSchedule } from './run';
import { lastSlot, nextSlot, pauseMs } from './slots';

const folder = join(dataDir, 'backups');
setSettings({ BACKUP_TARGET: `file:${folder}` });
const api = await keyClient();
const DAY = 86_400;
/** After the server was installed. */
const START = new Date(Date.now() + 10 * DAY * 1000).toISOString().slice(0, 10);
const clockAt = (time: string) => manualClock(`${START}T${time}:00Z`);
const records = () => db.backup.findMany({ orderBy: { dueAt: 'asc' } });
const actions = async () =>
  (await db.backupOperation.findMany({ orderBy: { startedAt: 'asc' } })).map((row) => row.action);

beforeEach(async () => {
  applySaved({});
  await db.backupOperation.deleteMany();
  await db.backup.deleteMany();
  rmSync(folder, { recursive: true, force: true });
});
afterAll(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

describe('the schedule', () => {
  it('makes one backup for a time, on one of several instances, proves it, and catches up the last one that was missed', async () => {
    const clock = clockAt('03:00');
    await Promise.all(Array.from({ length: 4 }, () => runSchedule(db, clock)));
    await runSchedule(db, clock);
    expect(await records()).toMatchObject([
      { trigger: 'schedule', status: 'completed', dueAt: clock.now(), proofState: 'proven', attempts: 1 },
    ]);
    expect(await actions()).toEqual(['create', 'prove']);
    const entries = await db.auditEntry.findMany({ where: { userAgent: 'schedule' }, orderBy: { id: 'asc' } });
    expect(entries.map(({ action }) => action)).toEqual([
      'backup.create',
      'backup.finish',
      'backup.prove',
      'backup.finish',
    ]);
    clock.advance(DAY - 60);
    await runSchedule(db, clock);
    expect(await records()).toHaveLength(1);
    expect(await actions()).toHaveLength(2);

    // Another operation takes longer than a day.
    await runBackupOperation();
    clock.advance(60);
    await runSchedule(db, clock);
    clock.advance(1.5 * DAY);
    await runSchedule(db, clock);
    expect(await records()).toHaveLength(1);
    await db.backupOperation.deleteMany();
    await runSchedule(db, clock);
    const due = lastSlot('03:00', clock.now());
    expect(await records()).toMatchObject([{}, { dueAt: due, status: 'completed' }]);
  });

  it('has nothing to do on a server that is newer than the last time, or if it is off', async () => {
    await runSchedule(db, manualClock(new Date().toISOString()));
    applySaved({ BACKUP_TIME: 'off' });
    await runSchedule(db, clockAt('12:00'));
    expect(await records()).toEqual([]);
    expect((await api.get('/backups/plan')).data.schedule).toBeNull();
  });

  it('tries a backup that failed again, with growing pauses, and at once after a stop, until it succeeds', async () => {
    mkdirSync(join(folder, '..'), { recursive: true });
    writeFileSync(folder, 'a file in its place');
    const clock = clockAt('03:00');
    for (const [attempts, minutes] of [
      [1, 1],
      [2, 2],
      [3, 4],
    ] as const) {
      await runSchedule(db, clock);
      clock.advance(minutes * 60 - 1);
      await runSchedule(db, clock);
      const [record] = await records();
      expect(record).toMatchObject({ status: 'failed', attempts, error: expect.stringContaining('didn’t respond') });
      expect(record?.nextAttemptAt?.getTime()).toBe(clock.now().getTime() + 1000);
      const { data: plan } = await api.call('GET', '/backups/plan', { clock });
      expect(plan.schedule.next_run_at).toBe(record?.nextAttemptAt?.toISOString());
      clock.advance(1);
    }
    rmSync(folder);
    const running = runSchedule(db, clock);
    const unfinished = { action: 'create', finishedAt: null } as const;
    await expect.poll(() => db.backupOperation.count({ where: unfinished }), { interval: 1 }).toBe(1);
    await stopOperations();
    await running;
    expect(await records()).toMatchObject([{ status: 'failed', attempts: 4, nextAttemptAt: null }]);
    await runSchedule(db, clock);
    expect(await records()).toMatchObject([
      { status: 'completed', attempts: 5, error: null, nextAttemptAt: null, proofState: 'proven' },
    ]);
  });

  it('makes one again whose archive is gone, and proves that', async () => {
    const clock = clockAt('03:00');
    const proof = { proofState: 'proven', proofMessage: 'Of the first one.' } as const;
    const gone = { status: 'missing', location: folder, host: hostname(), checksum: 'first', ...proof } as const;
    await makeBackup({ trigger: 'schedule', dueAt: clock.now(), ...gone });
    expect((await api.call('GET', '/backups/plan', { clock })).data.schedule.next_run_at).toBe(
      clock.now().toISOString(),
    );
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'postroom-backups'), '');
    await runSchedule(db, clock);
    const [record, ...others] = await records();
    expect(record).toMatchObject({ status: 'completed', attempts: 2, proofState: 'proven' });
    expect(record).not.toMatchObject({ checksum: 'first' });
    expect(record).not.toMatchObject({ proofMessage: proof.proofMessage });
    expect(others).toEqual([]);
    expect(await actions()).toEqual(['create', 'prove']);
  });

  it('does not prove what another host has in a folder, unless that host is gone', async () => {
    const clock = clockAt('03:00');
    const { id, host } = await makeNode();
    await makeBackup({ trigger: 'schedule', dueAt: clock.now(), location: folder, host });
    await runSchedule(db, clock);
    expect(await actions()).toEqual([]);
    await db.clusterNode.delete({ where: { id } });
    await runSchedule(db, clock);
    expect(await actions()).toEqual(['prove']);
  });

  it('pauses before it repeats what was killed, which may be why', async () => {
    const clock = clockAt('03:00');
    const due = { trigger: 'schedule' as const, dueAt: clock.now(), attempts: 3 };
    const { id } = await makeBackup({
      ...due,
      status: 'running',
      finishedAt: null,
      location: folder,
      host: hostname(),
    });
    const kill = async (action: 'create' | 'prove') => {
      await runBackupOperation();
      const data = { action, backupId: id, startedAt: new Date(), leasedUntil: new Date(0) };
      await db.backupOperation.updateMany({ where: { finishedAt: null }, data });
      await db.$transaction((tx) => interruptExpired(tx, clock));
    };
    await kill('create');
    await runSchedule(db, clock);
    const nextAttemptAt = new Date(clock.now().getTime() + 240_000);
    expect(await records()).toMatchObject([{ status: 'failed', nextAttemptAt }]);
    await db.backup.updateMany({ data: { status: 'completed' } });
    await kill('prove');
    await db.backupOperation.updateMany({ data: { finishedAt: clock.now() } });
    await runSchedule(db, clock);
    expect(await actions()).toEqual(['create', 'prove']);
    clock.advance(61);
    await runSchedule(db, clock);
    expect((await actions()).filter((action) => action === 'prove')).toHaveLength(2);
  });

  it('does not repeat a proof that filled the disk of the database before the next backup', async () => {
    const clock = clockAt('03:00');
    const place = { location: folder, host: hostname(), proofMessage: 'The database server has no room.' };
    await makeBackup({ trigger: 'schedule', dueAt: clock.now(), ...place });
    clock.advance(7200);
    await runSchedule(db, clock);
    expect(await actions()).toEqual([]);
  });

  it('has its times in UTC, and pauses of up to an hour', () => {
    const at = (text: string) => new Date(`2026-03-29T${text}:00Z`);
    expect(lastSlot('03:00', at('03:00'))).toEqual(at('03:00'));
    expect(lastSlot('03:00', at('02:59'))).toEqual(new Date('2026-03-28T03:00:00Z'));
    expect(nextSlot('23:30', at('03:00'))).toEqual(at('23:30'));
    expect([1, 2, 6, 7, 50].map((attempts) => pauseMs(attempts) / 60_000)).toEqual([1, 2, 32, 60, 60]);
  });
});

describe('retention', () => {
  const days = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      id: `${index}`,
      dueAt: new Date(Date.UTC(2026, 10, 22 - index, 3)),
      proofState: 'none',
    }));
  const keptOf = (rows: ReturnType<typeof days>, kept: Parameters<typeof surplus>[1]) => {
    const gone = surplus(rows, kept);
    return rows.filter((row) => !gone.includes(row)).map(({ dueAt }) => dueAt.toISOString().slice(5, 10));
  };

  it('keeps the newest of each day, week and month', () => {
    const rows = days(120);
    const kept = keptOf(rows, { daily: 3, weekly: 3, monthly: 3 });
    expect(kept).toEqual(['11-22', '11-21', '11-20', '11-15', '11-08', '10-31', '09-30']);
    expect(keptOf(days(2), { daily: 7, weekly: 0, monthly: 0 })).toEqual(['11-22', '11-21']);
  });

  it('never deletes the newest proven one', () => {
    const rows = days(10).map((row, index) => ({ ...row, proofState: index >= 6 ? 'proven' : 'failed' }));
    expect(keptOf(rows, { daily: 2, weekly: 0, monthly: 0 })).toEqual(['11-22', '11-21', '11-16']);
  });

  const clock = manualClock('2027-01-20T04:00:00Z');
  const marker = join(folder, 'postroom-backups');
  const mount = () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(marker, '');
  };
  const archives = () => readdirSync(folder).filter((name) => name.endsWith('.age'));
  const make = (day: number, over: object = {}) => {
    const name = `${day}.age`;
    writeFileSync(join(folder, name), 'x');
    const dueAt = new Date(Date.UTC(2027, 0, day, 3));
    return makeBackup({ trigger: 'schedule', name, location: folder, host: hostname(), dueAt, ...over });
  };

  it('deletes archives of this server that the schedule made, with an audit entry, and no others', async () => {
    mount();
    applySaved({ BACKUP_KEEP_DAILY: '1' });
    await make(1, { trigger: 'request', dueAt: null });
    await make(2, { trigger: 'found', dueAt: null });
    const node = await makeNode();
    await make(3, { host: node.host });
    const gone = await make(4, { host: 'replaced.example' });
    await make(5);
    await deleteSurplus(db, clock);
    expect(archives()).toEqual(['1.age', '2.age', '3.age', '5.age']);
    await db.clusterNode.delete({ where: { id: node.id } });
    expect(await db.backup.count({ where: { id: gone.id } })).toBe(0);
    expect(await db.auditEntry.findFirst({ where: { resource: `backup:${gone.id}` } })).toMatchObject({
      action: 'backup.delete',
      userAgent: 'schedule',
    });
  });

  it('deletes nothing while the last backup failed, or is used', async () => {
    mount();
    applySaved({ BACKUP_KEEP_DAILY: '1' });
    const old = await make(1);
    await make(2);
    const failed = await makeBackup({ trigger: 'schedule', status: 'failed', dueAt: new Date(Date.UTC(2027, 0, 3)) });
    await deleteSurplus(db, clock);
    await db.backup.delete({ where: { id: failed.id } });
    await runBackupOperation();
    await db.backupOperation.updateMany({ data: { backupId: old.id } });
    await deleteSurplus(db, clock);
    expect(archives()).toEqual(['1.age', '2.age']);
  });

  it('deletes nothing while the disk of the folder is not mounted', async () => {
    mount();
    applySaved({ BACKUP_KEEP_DAILY: '1' });
    await make(1);
    await make(2);
    rmSync(marker);
    await expect(deleteSurplus(db, clock)).rejects.toThrow('Mount its disk.');
    expect(await db.backup.count()).toBe(2);
  });

  it('leaves alone what a wrong clock has dated in the future, and keeps as many others', async () => {
    mount();
    applySaved({ BACKUP_KEEP_DAILY: '2' });
    for (const day of [11, 12, 13, 28, 29]) await make(day);
    await make(27, { proofState: 'proven' });
    await deleteSurplus(db, clock);
    expect(archives()).toEqual(['12.age', '13.age', '27.age', '28.age', '29.age']);
    await make(14);
    await make(15, { status: 'failed' });
    await deleteSurplus(db, clock);
    expect(archives()).toContain('12.age');
  });
});

it('BACKUP_TIME can be changed while Postroom runs, and is rejected if it is no time', async () => {
  expect((await api.patch('/config', { values: { BACKUP_TIME: '25:00' } })).status).toBe(400);
  expect((await api.patch('/config', { values: { BACKUP_TIME: '22:15', BACKUP_KEEP_WEEKLY: 4 } })).status).toBe(200);
  applySaved({ BACKUP_TIME: '22:15', BACKUP_KEEP_WEEKLY: '4' });
  const { data } = await api.get('/backups/plan');
  expect(data).toMatchObject({ schedule: { time: '22:15' }, retention: { daily: 7, weekly: 4, monthly: 0 } });
  expect(data.schedule.next_run_at).toMatch(/T22:15:00\.000Z$/);
});

import { beforeEach, describe, expect, it } from 'vitest';
import { applySaved } from '@/server/settings/env';
import { makeBackup, makeBackupOperation } from '@/test/backup-records';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { keyClient } from '@/test/rest';
import { checkBackups } from './health';

const api = await keyClient();
const HOUR = 3600;
/** After the server was installed. */
const day = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10);
const at = (time: string) => manualClock(`${day}T${time}:00Z`);
const hoursBefore = (now: Date, hours: number) => new Date(now.getTime() - hours * HOUR * 1000);

beforeEach(async () => {
  applySaved({});
  await db.backup.deleteMany();
  await db.backupOperation.deleteMany();
});

const check = async (now: Date) => {
  const [backup, proof] = await checkBackups(db, now);
  return { backup, proof };
};

describe('the age of backups', () => {
  it('is not checked before the first one is due, or without a schedule', async () => {
    const [{ at: installedAt }] = await db.$queryRaw<
      [{ at: Date }]
    >`SELECT min(started_at) AS at FROM _prisma_migrations`;
    expect(await checkBackups(db, installedAt)).toEqual([]);
    applySaved({ BACKUP_TIME: 'off' });
    expect(await checkBackups(db, at('12:00').now())).toEqual([]);
  });

  it('is that of the last completed and of the last proven one', async () => {
    const now = at('12:00').now();
    await makeBackup({ startedAt: hoursBefore(now, 9) });
    await makeBackup({ startedAt: hoursBefore(now, 12), proofState: 'proven' });
    await makeBackup({ startedAt: hoursBefore(now, 1), status: 'failed' });
    await makeBackup({ startedAt: hoursBefore(now, 2), status: 'missing', proofState: 'proven' });
    expect(await check(now)).toMatchObject({
      backup: { name: 'backup', status: 'ok', value: 9 * HOUR, message: '' },
      proof: { name: 'backup_proof', status: 'ok', value: 12 * HOUR, message: '' },
    });
  });

  it('is not that of an archive that was found, or is dated in the future', async () => {
    const now = at('12:00').now();
    await makeBackup({ startedAt: hoursBefore(now, 30), proofState: 'proven' });
    const newest = { proofState: 'proven' as const, startedAt: hoursBefore(now, 1) };
    await makeBackup({ ...newest, trigger: 'found', name: 'postroom-2999-01-01T03-00-00Z.age' });
    await makeBackup({ ...newest, trigger: 'found', name: 'junk.age', proofState: 'failed', proofMessage: 'Damaged.' });
    await makeBackup({ ...newest, startedAt: hoursBefore(now, -48) });
    await makeBackup({ trigger: 'schedule', status: 'failed', dueAt: at('03:00').now(), error: 'No room.' });
    await makeBackup({
      trigger: 'schedule',
      ...newest,
      startedAt: hoursBefore(now, -24),
      dueAt: hoursBefore(now, -24),
    });
    const degraded = { status: 'degraded', value: 30 * HOUR };
    expect(await check(now)).toMatchObject({
      backup: { ...degraded, message: 'The last attempt failed: No room.' },
      proof: { ...degraded, message: '' },
    });
    const { data: plan } = await api.call('GET', '/backups/plan', { clock: { now: () => now } });
    const started_at = hoursBefore(now, 30).toISOString();
    expect(plan).toMatchObject({ last_completed: { started_at }, last_proven: { started_at } });
  });

  it('is degraded two hours after one was due, and down a day later, with the reason', async () => {
    const clock = at('05:00');
    expect((await check(clock.now())).backup).toMatchObject({ status: 'ok' });
    clock.advance(60);
    await makeBackup({ trigger: 'schedule', status: 'failed', dueAt: at('03:00').now(), error: 'No room.' });
    expect(await check(clock.now())).toMatchObject({
      backup: { status: 'degraded', message: 'The last attempt failed: No room.' },
      proof: { status: 'degraded' },
    });
    clock.advance(24 * HOUR);
    expect(await check(clock.now())).toMatchObject({ backup: { status: 'down' }, proof: { status: 'down' } });
  });

  it('is down at once if the last backup is not proven, and degraded if no proof could be made', async () => {
    const now = at('12:00').now();
    const proof = { proofState: 'failed' as const, proofMessage: 'Rows are missing.' };
    const failed = await makeBackup({ startedAt: hoursBefore(now, 9), ...proof });
    expect((await check(now)).proof).toMatchObject({
      status: 'down',
      message: 'The last backup is not proven: Rows are missing.',
    });
    await db.backup.update({ where: { id: failed.id }, data: { proofState: 'none', startedAt: hoursBefore(now, 30) } });
    await makeBackupOperation({ action: 'prove', state: 'failed', message: 'The role may not create databases.' });
    expect((await check(now)).proof).toMatchObject({
      status: 'degraded',
      message: 'The last proof failed: The role may not create databases.',
    });
  });
});

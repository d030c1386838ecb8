import pg from 'pg';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '@/server/clock';
import { runBackupOperation } from '@/test/backup-records';
import { db } from '@/test/database';
import { finishOperation } from './lease';
import { runOperation, type Work } from './run';

beforeEach(async () => void (await db.backupOperation.deleteMany()));

async function start() {
  await runBackupOperation();
  const { id, leaseToken: token } = await db.backupOperation.findFirstOrThrow();
  return { id, token };
}

it('is finished once, also if the answer was lost and the outcome is stored again', async () => {
  const lease = await start();
  const done = { state: 'succeeded' as const, message: 'Stored.' };
  expect(await finishOperation(db, systemClock, lease, done)).toBe(true);
  expect(await finishOperation(db, systemClock, lease, done)).toBe(true);
  expect(await db.auditEntry.count({ where: { details: { path: ['operation_id'], equals: lease.id } } })).toBe(1);
});

it('is renewed and finished while waiting requests hold all connections of the app', async () => {
  const lease = await start();
  await db.$executeRaw`UPDATE backup_operation SET leased_until = now() + interval '5 seconds'`;
  const own = new pg.Client(process.env.DATABASE_URL);
  await own.connect();
  onTestFinished(() => own.end());
  await own.query('BEGIN; LOCK TABLE alias');
  const requests = Array.from({ length: 30 }, () => db.alias.count());
  const waited = Promise.allSettled(requests);
  const work = async () => {
    // Past the end of the first lease.
    await own.query('SELECT pg_sleep(6)');
    return { message: 'Done.' };
  };
  const { state } = await runOperation(systemClock, { lease, work });
  expect(state).toBe('succeeded');
  expect((await own.query('SELECT state FROM backup_operation')).rows).toEqual([{ state: 'succeeded' }]);
  await own.query('ROLLBACK');
  await waited;
});

it('names a full disk of the database server, rather than a lost connection', async () => {
  const work: Work = async ({ client }) => {
    await client.query(`DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'disk_full'; END $$`);
    return { message: 'Done.' };
  };
  const outcome = await runOperation(systemClock, { lease: await start(), work });
  expect(outcome.message).toBe('The disk of the database server is full. Free space on it.');
});

it('can’t be finished by who has lost the lease', async () => {
  const lease = await start();
  const done = { state: 'succeeded' as const, message: 'Stored.' };
  expect(await finishOperation(db, systemClock, { ...lease, token: lease.id }, done)).toBe(false);
  await db.backupOperation.updateMany({ data: { state: 'interrupted', finishedAt: new Date() } });
  expect(await finishOperation(db, systemClock, lease, done)).toBe(false);
});

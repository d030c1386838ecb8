import pg from 'pg';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import type { Task } from '@/server/background/task';
import { db } from '@/test/database';
import { makeDomain, unique } from '@/test/factories';
import { holdLocksOf } from '@/test/locks';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { runTask } from '@/test/tasks';
import { deleteOldMessages, RETENTION_TASK } from './run';

const DAY_MS = 24 * 60 * 60 * 1000;
const KEPT_DAYS = 90;
const now = new Date();
const daysAgo = (days: number) => new Date(now.getTime() - days * DAY_MS);
type RunOptions = { keptDays?: number; batchSize?: number; isWanted?: () => boolean };
const task = (over: RunOptions): Task => ({
  name: RETENTION_TASK,
  on: 'one instance',
  everySeconds: 3600,
  run: (context) => deleteOldMessages(context, { keptDays: KEPT_DAYS, ...over }),
});
const run = (over: RunOptions = {}) => runTask(db, task(over), { clock: { now: () => now }, ifDue: true });

const domain = await makeDomain();
const api = await keyClient({ role: 'super_admin' });
const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
afterAll(() => client.end());
const mta = await startScriptedMta();
afterAll(() => mta.server.close());

beforeEach(async () => {
  await db.message.deleteMany();
  const nothing = { startedAt: null, finishedAt: null, deletedUntil: null, deletedCount: 0 };
  await db.messageRetention.update({ where: { id: 1 }, data: nothing });
  await db.scheduledTask.deleteMany();
});

type Over = {
  status?: 'delivered' | 'sent' | 'deferred' | 'uncertain' | 'submitting';
  events?: string[];
  recipients?: number;
};

async function makeMessage(days: number, { status = 'delivered', events = ['accepted'], recipients = 1 }: Over = {}) {
  const id = uuidv7();
  const createdAt = daysAgo(days);
  const common = { domainId: domain.id, direction: 'outbound' as const, subject: 'Your invoice', sizeBytes: 1 };
  const addresses = Array.from({ length: recipients }, (_, n) => `ann${n}@far.example`);
  await db.message.create({
    data: {
      ...common,
      id,
      messageId: `<${unique()}@${domain.name}>`,
      fromAddress: `shop@${domain.name}`,
      toAddresses: addresses,
      status,
      createdAt,
      recipients: { createMany: { data: addresses.map((address) => ({ address, kind: 'to', status, createdAt })) } },
      events: {
        createMany: { data: events.map((type, n) => ({ id: uuidv7(), type, at: new Date(createdAt.getTime() + n) })) },
      },
    },
  });
  return id;
}

const ids = async () => (await db.message.findMany({ select: { id: true } })).map(({ id }) => id);
const becomeDue = () => db.$executeRaw`UPDATE scheduled_task SET due_at = now() - interval '1 second'`;

describe('messages', () => {
  it('are deleted after the retention period, with their recipients and trace', async () => {
    const [old, young] = [await makeMessage(91, { recipients: 3 }), await makeMessage(89)];
    await run();
    expect(await ids()).toEqual([young]);
    expect([await db.messageRecipient.count(), await db.messageEvent.count()]).toEqual([1, 1]);
    expectError(await api.get(`/messages/${old}`), 404, 'NOT_FOUND');
  });

  it('that were deleted by a shorter period are remembered when the period grows', async () => {
    const completeSince = async () => (await db.messageRetention.findUniqueOrThrow({ where: { id: 1 } })).completeSince;
    await db.messageRetention.update({ where: { id: 1 }, data: { completeSince: null } });
    await run({ keptDays: 30 });
    await becomeDue();
    await run({ keptDays: 90 });
    expect(await completeSince()).toEqual(daysAgo(30));
  });

  it('are all kept with 0 days', async () => {
    const old = await makeMessage(4000);
    await run({ keptDays: 0 });
    expect(await ids()).toEqual([old]);
  });

  it.each([
    ['sent', 'kept', 10, []],
    ['deferred', 'kept', 13, ['held', 'released']],
    ['uncertain', 'kept', 10, []],
    ['submitting', 'kept', 10, []],
    ['delivered', 'deleted', 2, []],
    ['sent', 'deleted', 15, []],
    ['deferred', 'kept', 400, ['held']],
    ['deferred', 'kept', 400, ['held', 'released', 'held']],
    ['deferred', 'deleted', 400, ['held', 'released']],
  ] as const)('that are %s are %s after %i days with the trace %j', async (status, expected, days, events) => {
    await makeMessage(days, { status, events: [...events] });
    await run({ keptDays: 1 });
    expect(await ids()).toHaveLength(expected === 'kept' ? 1 : 0);
  });

  it('are deleted no further once that is no longer wanted', async () => {
    for (let n = 0; n < 4; n++) await makeMessage(100 + n);
    let left = 1;
    await run({ batchSize: 2, isWanted: () => left-- > 0 });
    expect(await ids()).toHaveLength(2);
  });

  it('behind many open ones are deleted', async () => {
    for (let n = 0; n < 5; n++) await makeMessage(200, { events: ['held'], status: 'sent' });
    const old = await makeMessage(100);
    await run({ batchSize: 2 });
    expect(await ids()).toHaveLength(5);
    expect(await ids()).not.toContain(old);
  });

  it('with very many recipients are deleted in batches of their own', async () => {
    for (let n = 0; n < 3; n++) await makeMessage(100 + n, { recipients: 5_100 });
    await countTransactions();
    await run({ batchSize: 3 });
    expect(await ids()).toEqual([]);
    const { rows } = await client.query('SELECT count(DISTINCT transaction)::int AS batches FROM deletion');
    expect(rows).toEqual([{ batches: 3 }]);
  });
});

describe('a run', () => {
  it('that is cut off is continued by another instance, which deletes the rest', async () => {
    for (let n = 0; n < 6; n++) await makeMessage(100 + n);
    const paused = await pauseAt(4);
    const first = run({ batchSize: 2 }).catch((error: unknown) => error);
    const pid = await paused.pid();
    await client.query('SELECT pg_terminate_backend($1)', [pid]);
    expect(await first).toBeInstanceOf(Error);
    await paused.end();
    expect(await ids()).toHaveLength(4);
    expect((await api.get('/messages/retention')).data).toMatchObject({
      status: 'failing',
      deleted: 2,
      finished_at: null,
    });

    await run();
    expect(await ids()).toHaveLength(4);
    await becomeDue();
    await run({ batchSize: 2 });
    expect(await ids()).toEqual([]);
    const { data } = await api.get('/messages/retention');
    expect(data).toMatchObject({ status: 'waiting', deleted: 6, failure: null, finished_at: expect.any(String) });
  });

  it('happens on one of several instances, and not again within the hour', async () => {
    for (let n = 0; n < 6; n++) await makeMessage(100 + n);
    await Promise.all(Array.from({ length: 5 }, () => run({ batchSize: 2 })));
    expect((await api.get('/messages/retention')).data).toMatchObject({ deleted: 6 });
    await makeMessage(100);
    await run();
    expect(await ids()).toHaveLength(1);
  });

  it('deletes nothing more once another instance has taken it over', async () => {
    for (let n = 0; n < 4; n++) await makeMessage(100 + n);
    const paused = await pauseAt(2);
    const first = run({ batchSize: 2 });
    await paused.pid();
    const takeover = db.scheduledTask.updateMany({ data: { leaseToken: uuidv7() } });
    await paused.end();
    await Promise.all([first, takeover]);
    expect(await ids()).toHaveLength(2);
  });

  it('skips a message that is being changed', async () => {
    const [changing] = [await makeMessage(101), await makeMessage(100)];
    await holdLocksOf('SELECT FROM message WHERE id = $1 FOR UPDATE', [changing]);
    await run();
    expect(await ids()).toEqual([changing]);
  });

  it('gives up a batch that waits for a lock, and reports why', async () => {
    await makeMessage(100);
    const unlock = await holdLocksOf('LOCK TABLE message IN ACCESS EXCLUSIVE MODE');
    await expect(run()).rejects.toThrow();
    await unlock();
    const { data } = await api.get('/messages/retention');
    expect(data).toMatchObject({ status: 'failing', failure: expect.stringContaining('lock timeout') });
    await becomeDue();
    await run();
    expect((await api.get('/messages/retention')).data).toMatchObject({ status: 'waiting', deleted: 1, failure: null });
  });
});

describe('during a batch', () => {
  it('messages are sent and read without waiting for it', async () => {
    for (let n = 0; n < 6; n++) await makeMessage(100 + n);
    const paused = await pauseAt(3);
    const running = run();
    await paused.pid();
    const message = { from: { email: `shop@${domain.name}` }, to: [{ email: 'bo@far.example' }], subject: 'Invoice' };
    const sent = await api.post('/send', { ...message, text_body: 'Hi' });
    expect(sent.status).toBe(200);
    expect((await api.get('/messages?q=invoice')).data).toHaveLength(7);
    const { rows } = await client.query(
      'SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted AND locktype <> $1',
      ['advisory'],
    );
    expect(rows).toEqual([{ waiting: 0 }]);
    await paused.end();
    await running;
    expect(await db.message.count()).toBe(1);
  });

  it('pages that were begun before continue without an error or a repeated message', async () => {
    const kept: string[] = [];
    for (let n = 0; n < 12; n++) {
      const id = await makeMessage(n < 6 ? 80 + n : 85 + n);
      if (n < 6) kept.unshift(id);
    }
    for (const query of ['limit=4', 'limit=4&q=invoice']) {
      const first = await api.get(`/messages?${query}`);
      await run();
      const second = await api.get(`/messages?${query}&cursor=${first.meta.pagination?.next_cursor}`);
      const listed = [...first.data, ...second.data].map(({ id }: { id: string }) => id);
      expect(listed).toEqual(kept.toReversed());
      expect(second.meta.pagination?.has_more).toBe(false);
      await becomeDue();
    }
  });
});

it('an admin reads no progress, but how long messages are kept', async () => {
  expectError(await (await keyClient({ role: 'admin' })).get('/messages/retention'), 403, 'FORBIDDEN');
  expect((await api.get('/messages/retention')).data).toMatchObject({
    kept_days: 90,
    status: 'waiting',
    started_at: null,
  });
});

/** Makes the nth deletion of a message wait, inside of its transaction. */
async function pauseAt(nth: number) {
  const LOCK = 77_001;
  await client.query('SELECT pg_advisory_lock($1)', [LOCK]);
  await client.query(`
    CREATE SEQUENCE nth_deletion;
    CREATE FUNCTION pause_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF nextval('nth_deletion') = ${nth} THEN PERFORM pg_advisory_xact_lock(${LOCK}); END IF;
      RETURN OLD;
    END $$;
    CREATE TRIGGER pause BEFORE DELETE ON message FOR EACH ROW EXECUTE FUNCTION pause_deletion()`);
  const waitingPid = async () => {
    const waiting = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = ${LOCK}`;
    return (await client.query(waiting)).rows[0]?.pid;
  };
  const end = async () => {
    await client.query('SELECT pg_advisory_unlock_all()');
  };
  onTestFinished(async () => {
    await end();
    await client.query('DROP FUNCTION pause_deletion CASCADE; DROP SEQUENCE nth_deletion');
  });
  return {
    end,
    /** Returns the process of the connection that waits, once it does. */
    async pid(): Promise<number> {
      await expect.poll(waitingPid).toEqual(expect.any(Number));
      return waitingPid();
    },
  };
}

/** Records the transaction of each deletion. */
async function countTransactions() {
  await client.query(`
    CREATE TABLE deletion (transaction xid8);
    CREATE FUNCTION count_deletion() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO deletion VALUES (pg_current_xact_id());
      RETURN OLD;
    END $$;
    CREATE TRIGGER count BEFORE DELETE ON message FOR EACH ROW EXECUTE FUNCTION count_deletion()`);
  onTestFinished(async () => {
    await client.query('DROP FUNCTION count_deletion CASCADE; DROP TABLE deletion');
  });
}

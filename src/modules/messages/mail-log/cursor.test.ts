import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, unique } from '@/test/factories';
import { AT, accepted, delivery, emittedEvents, lines, newQueueId, stored } from '@/test/mail/logged-mail';
import { advanceCursor, type Cursor, readCursor } from './cursor';
import { recordLog } from './log';

let domain: { id: string; name: string };
let source: string;
let from: Cursor;
const at = (local: string) => `${local}@${domain.name}`;
const POSITION = { file: '7', offset: 100 };

beforeEach(async () => {
  domain = await makeDomain();
  await makeMailbox(domain.id, 'ann');
  source = unique();
  from = await readCursor(db, source);
});

const submitted = (queueId: string, ...to: string[]) =>
  lines(queueId, ...accepted(at('ann'), { login: at('ann') }), ...to.map((address) => delivery(address)));

async function recordedMessages() {
  const messages = await db.message.findMany({ where: { domainId: domain.id }, orderBy: { createdAt: 'asc' } });
  return messages.map(({ queueId }) => queueId);
}

describe('a chunk of the log', () => {
  it('is recorded together with the advanced cursor', async () => {
    const queueId = newQueueId();
    const moved = await recordLog(db, from, { entries: submitted(queueId, 'x@far.example'), position: POSITION });
    expect(moved).toEqual({ source, file: '7', position: '100' });
    expect(await readCursor(db, source)).toEqual(moved);
    expect(await recordedMessages()).toEqual([queueId]);
  });

  it('is rejected and records nothing if it was read from an outdated position', async () => {
    const piece = { entries: submitted(newQueueId(), 'x@far.example'), position: POSITION };
    await recordLog(db, from, piece);
    const before = await emittedEvents(domain.id);
    await expect(recordLog(db, from, piece)).rejects.toThrow(/another reader has advanced the cursor/);
    const another = { entries: submitted(newQueueId(), 'y@far.example'), position: { file: '7', offset: 200 } };
    await expect(recordLog(db, from, another)).rejects.toThrow(/another reader has advanced the cursor/);
    expect(await emittedEvents(domain.id)).toEqual(before);
    expect(await readCursor(db, source)).toMatchObject({ position: '100' });
  });

  it('that two readers record concurrently is recorded by one of them', async () => {
    const queueId = newQueueId();
    const piece = { entries: submitted(queueId, 'x@far.example'), position: POSITION };
    const results = await Promise.allSettled([1, 2, 3].map(() => recordLog(db, from, piece)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await emittedEvents(domain.id)).map(({ event }) => event)).toEqual(['mail.sent', 'mail.delivered']);
  });

  it('that fails midway records nothing and does not advance the cursor', async () => {
    const [one, two] = [newQueueId(), newQueueId()];
    const record = advanceCursor(db, from, { file: '7', position: '100' }, [one, two], async (tx, _, together) => {
      await together(async (queueIds) => {
        await tx.loggedMail.createMany({ data: queueIds.map((queueId) => ({ queueId, seenAt: AT })) });
      });
      throw new Error('failed at the end');
    });
    await expect(record).rejects.toThrow('failed at the end');
    expect(await db.loggedMail.count({ where: { queueId: { in: [one, two] } } })).toBe(0);
    expect(await readCursor(db, source)).toEqual(from);
  });
});

describe('an entry that the database rejects', () => {
  it('is skipped, and all others are recorded', async () => {
    const queueIds = [newQueueId(), newQueueId(), newQueueId()] as const;
    const entries = [
      ...submitted(queueIds[0], 'x@far.example'),
      ...submitted(queueIds[1], 'nul\0@far.example', 'y@far.example'),
      ...lines(newQueueId(), ...accepted('bo@far.example'), delivery('nul\0@far.example', { status: 'deferred' })),
      ...submitted(queueIds[2], 'z@far.example'),
    ];
    await recordLog(db, from, { entries, position: POSITION });
    expect((await recordedMessages()).toSorted()).toEqual([...queueIds].toSorted());
    const delivered = await emittedEvents(domain.id, 'mail.delivered');
    expect(delivered.map(({ data }) => data.recipient)).toEqual(['x@far.example', 'y@far.example', 'z@far.example']);
    expect(await readCursor(db, source)).toMatchObject({ position: '100' });
  });

  it('temporarily is recorded on a later attempt', async () => {
    let attempts = 0;
    const queueId = newQueueId();
    await advanceCursor(db, from, { file: '7', position: '100' }, [queueId], (tx, _, together) =>
      together(async () => {
        attempts += 1;
        await tx.loggedMail.create({ data: { queueId, seenAt: AT } });
        if (attempts < 3) await tx.$executeRaw`SELECT 1 / 0`;
      }),
    );
    expect(attempts).toBe(3);
    expect(await db.loggedMail.count({ where: { queueId } })).toBe(1);
  });

  it('is skipped, and the others are recorded one by one after they failed together', async () => {
    const queueIds = [newQueueId(), newQueueId(), newQueueId()];
    const shared: number[] = [];
    await advanceCursor(db, from, { file: '7', position: '100' }, queueIds, (tx, _, together) =>
      together(async (each) => {
        shared.push(each.length);
        await tx.loggedMail.createMany({ data: each.map((queueId) => ({ queueId, seenAt: AT })) });
        if (each.includes(queueIds[1] as string)) await tx.$executeRaw`SELECT 1 / 0`;
      }),
    );
    expect(shared).toEqual([3, 1, 1, 1, 1, 1, 1, 1, 1]);
    const recorded = await db.loggedMail.findMany({ where: { queueId: { in: queueIds } } });
    expect(recorded.map(({ queueId }) => queueId).toSorted()).toEqual([queueIds[0], queueIds[2]].toSorted());
  });

  it.each([
    [
      'a Message-ID as long as a log line',
      `<${Buffer.from(crypto.getRandomValues(new Uint8Array(2900))).toString('base64')}@far.example>`,
    ],
    ['an invalid Message-ID', 'ä <\ufffd> '.repeat(400)],
  ])('is not one with %s: it is recorded without the Message-ID', async (_case, messageId) => {
    const [queueId, own] = [newQueueId(), newQueueId()];
    const entries = [
      ...lines(queueId, ...accepted('bo@far.example', { messageId }), stored(at('ann'))),
      ...lines(own, ...accepted(at('ann'), { login: at('ann'), messageId }), delivery('x@far.example')),
    ];
    await recordLog(db, from, { entries, position: POSITION });
    expect(await db.inboundDelivery.count({ where: { queueId } })).toBe(1);
    expect(await emittedEvents(domain.id, 'mail.sent')).toMatchObject([{ id: `<${own}@${domain.name}>` }]);
  });
});

describe('no entry is skipped while the database', () => {
  async function failWith(code: string): Promise<void> {
    const trigger = `reject_${unique()}`;
    await db.$executeRawUnsafe(
      `CREATE FUNCTION ${trigger}() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'no' USING ERRCODE = '${code}'; END$$`,
    );
    await db.$executeRawUnsafe(
      `CREATE TRIGGER ${trigger} BEFORE INSERT ON message FOR EACH ROW EXECUTE FUNCTION ${trigger}()`,
    );
    onTestFinished(async () => {
      await db.$executeRawUnsafe(`DROP FUNCTION IF EXISTS ${trigger} CASCADE`);
    });
  }

  it.each([
    ['has a full disk', '53100'],
    ['is out of memory', '53200'],
    ['cannot read its disk', '58030'],
    ['is read-only', '25006'],
    ['shuts down', '57P01'],
    ['cancels a statement', '57014'],
  ])('%s', async (_case, code) => {
    await failWith(code);
    const entries = submitted(newQueueId(), 'x@far.example');
    await expect(recordLog(db, from, { entries, position: POSITION })).rejects.toThrow();
    expect(await readCursor(db, source)).toEqual(from);
  });

  it.each([
    ['before the next statement is sent', 0],
    ['unnoticed', 200],
  ])('loses the connection %s', async (_case, waitMs) => {
    const other = new pg.Client(process.env.DATABASE_URL);
    await other.connect();
    onTestFinished(() => other.end());
    const queueIds = [newQueueId(), newQueueId()];
    let attempts = 0;
    const record = advanceCursor(db, from, { file: '7', position: '100' }, queueIds, (tx, _, together) =>
      together(async (each) => {
        attempts += 1;
        await tx.loggedMail.createMany({ data: each.map((queueId) => ({ queueId, seenAt: AT })) });
        const [{ pid }] = await tx.$queryRaw<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`;
        await other.query('SELECT pg_terminate_backend($1)', [pid]);
        await setTimeout(waitMs);
        await tx.$executeRaw`SELECT 1`;
      }),
    );
    await expect(record).rejects.toThrow();
    expect(attempts).toBe(1);
    expect(await readCursor(db, source)).toEqual(from);
    expect(await db.loggedMail.count({ where: { queueId: { in: queueIds } } })).toBe(0);
  });
});

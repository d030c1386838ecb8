import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, unique } from '@/test/factories';
import { AT, delivery, lines, newQueueId, stored, accepted, emittedEvents } from '@/test/mail/logged-mail';
import { type Cursor, advanceCursor, readCursor } from './cursor';
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

describe('a piece of the log', () => {
  it('moves the cursor and is recorded, all at once', async () => {
    const queueId = newQueueId();
    const moved = await recordLog(db, from, { entries: submitted(queueId, 'x@far.example'), position: POSITION });
    expect(moved).toEqual({ source, file: '7', position: '100' });
    expect(await readCursor(db, source)).toEqual(moved);
    expect(await recordedMessages()).toEqual([queueId]);
  });

  it('is refused and records nothing where it was read from an old place', async () => {
    const piece = { entries: submitted(newQueueId(), 'x@far.example'), position: POSITION };
    await recordLog(db, from, piece);
    const before = await emittedEvents(domain.id);
    await expect(recordLog(db, from, piece)).rejects.toThrow(/another reader has moved on/);
    const another = { entries: submitted(newQueueId(), 'y@far.example'), position: { file: '7', offset: 200 } };
    await expect(recordLog(db, from, another)).rejects.toThrow(/another reader has moved on/);
    expect(await emittedEvents(domain.id)).toEqual(before);
    expect(await readCursor(db, source)).toMatchObject({ position: '100' });
  });

  it('that two readers record at once is recorded by one of them', async () => {
    const queueId = newQueueId();
    const piece = { entries: submitted(queueId, 'x@far.example'), position: POSITION };
    const results = await Promise.allSettled([1, 2, 3].map(() => recordLog(db, from, piece)));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await emittedEvents(domain.id)).map(({ event }) => event)).toEqual(['mail.sent', 'mail.delivered']);
  });

  it('that fails midway leaves neither a record nor a cursor, until it is whole', async () => {
    const [one, two] = [newQueueId(), newQueueId()];
    const record = advanceCursor(db, from, { file: '7', position: '100' }, [one, two], async (tx, _, each) => {
      await each(async (queueId) => {
        await tx.loggedMail.create({ data: { queueId, seenAt: AT } });
      });
      throw new Error('the end of it');
    });
    await expect(record).rejects.toThrow('the end of it');
    expect(await db.loggedMail.count({ where: { queueId: { in: [one, two] } } })).toBe(0);
    expect(await readCursor(db, source)).toEqual(from);
  });
});

describe('an entry that the database refuses', () => {
  it('is passed over, and all the others are recorded', async () => {
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

  it('only now and then is recorded once it takes it', async () => {
    let tries = 0;
    const queueId = newQueueId();
    await advanceCursor(db, from, { file: '7', position: '100' }, [queueId], (tx, _, each) =>
      each(async () => {
        tries += 1;
        await tx.loggedMail.create({ data: { queueId, seenAt: AT } });
        if (tries < 3) await tx.$executeRaw`SELECT 1 / 0`;
      }),
    );
    expect(tries).toBe(3);
    expect(await db.loggedMail.count({ where: { queueId } })).toBe(1);
  });

  it.each([
    [
      'a Message-ID as long as a line',
      `<${Buffer.from(crypto.getRandomValues(new Uint8Array(2900))).toString('base64')}@far.example>`,
    ],
    ['a Message-ID that is none', 'ä <\ufffd> '.repeat(400)],
  ])('is not %s: it is recorded without', async (_case, messageId) => {
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

describe('while the database is away nothing is passed over', () => {
  async function failWith(code: string): Promise<void> {
    const fails = `refuse_${unique()}`;
    await db.$executeRawUnsafe(
      `CREATE FUNCTION ${fails}() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'no' USING ERRCODE = '${code}'; END$$`,
    );
    await db.$executeRawUnsafe(
      `CREATE TRIGGER ${fails} BEFORE INSERT ON message FOR EACH ROW EXECUTE FUNCTION ${fails}()`,
    );
    onTestFinished(async () => {
      await db.$executeRawUnsafe(`DROP FUNCTION IF EXISTS ${fails} CASCADE`);
    });
  }

  it.each([
    ['has no room on its disk', '53100'],
    ['has no memory', '53200'],
    ['cannot read its disk', '58030'],
    ['takes no writes', '25006'],
    ['is shut down', '57P01'],
    ['gives up on a statement', '57014'],
  ])('as where it %s', async (_case, code) => {
    await failWith(code);
    const entries = submitted(newQueueId(), 'x@far.example');
    await expect(recordLog(db, from, { entries, position: POSITION })).rejects.toThrow();
    expect(await readCursor(db, source)).toEqual(from);
  });

  it.each([
    ['a statement is sent', 0],
    ['it is known that it broke', 200],
  ])('as where the connection breaks before %s', async (_case, waitMs) => {
    const other = new pg.Client(process.env.DATABASE_URL);
    await other.connect();
    onTestFinished(() => other.end());
    const queueIds = [newQueueId(), newQueueId()];
    let tries = 0;
    const record = advanceCursor(db, from, { file: '7', position: '100' }, queueIds, (tx, _, each) =>
      each(async (queueId) => {
        tries += 1;
        await tx.loggedMail.create({ data: { queueId, seenAt: AT } });
        const [{ pid }] = await tx.$queryRaw<[{ pid: number }]>`SELECT pg_backend_pid() AS pid`;
        await other.query('SELECT pg_terminate_backend($1)', [pid]);
        await setTimeout(waitMs);
        await tx.$executeRaw`SELECT 1`;
      }),
    );
    await expect(record).rejects.toThrow();
    expect(tries).toBe(1);
    expect(await readCursor(db, source)).toEqual(from);
    expect(await db.loggedMail.count({ where: { queueId: { in: queueIds } } })).toBe(0);
  });
});

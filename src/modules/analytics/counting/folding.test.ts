import { beforeEach, describe, expect, it } from 'vitest';
import type { Tx } from '@/server/database/db';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { foldAnalytics } from './fold';

const api = await keyClient({ role: 'admin' });
let domain: Awaited<ReturnType<typeof makeDomain>>;

beforeEach(async () => {
  domain = await makeDomain();
});

/** Messages of now with one recipient each, at `d1.far.example`, `d2.far.example`, … */
async function addMessages(count: number, from = 1): Promise<void> {
  await db.$executeRaw`
    WITH added AS (
      INSERT INTO message (id, message_id, queue_id, domain_id, direction, from_address, subject, size_bytes, status, updated_at)
      SELECT gen_random_uuid(), '<' || n || '@' || ${domain.name} || '>', 'Q' || n, ${domain.id}::uuid, 'outbound',
             'shop@' || ${domain.name}, 'Hello', 1, 'sent', now()
        FROM generate_series(${from}::int, ${from + count - 1}::int) AS n
      RETURNING id, queue_id, created_at
    )
    INSERT INTO message_recipient (id, message_id, address, kind, status, created_at)
    SELECT gen_random_uuid(), id, 'ann@d' || substr(queue_id, 2) || '.far.example', 'to', 'sent', created_at FROM added`;
}

async function setStatus(status: string, addresses = '%'): Promise<void> {
  await db.$executeRaw`
    UPDATE message_recipient r SET status = ${status}::message_status
      FROM message m WHERE m.id = r.message_id AND m.domain_id = ${domain.id}::uuid AND r.address LIKE ${addresses}`;
  await db.$executeRaw`UPDATE message SET status = ${status}::message_status WHERE domain_id = ${domain.id}::uuid`;
}

async function read(query = '') {
  return (await api.get(`/analytics?domain_id=${domain.id}${query}`)).data;
}

/** How many rows of the table this session has read. */
async function messagesRead(tx: Tx): Promise<number> {
  const [read] = await tx.$queryRaw<{ rows: bigint }[]>`
    SELECT seq_tup_read + idx_tup_fetch AS rows FROM pg_stat_xact_user_tables WHERE relname = 'message'`;
  return Number(read?.rows);
}

describe('counting a change', () => {
  it('reads the message of the changed recipient, and no other', async () => {
    await addMessages(500);
    const { id } = await db.messageRecipient.findFirstOrThrow({ where: { message: { domainId: domain.id } } });
    const rowsRead = await db.$transaction(async (tx) => {
      const before = await messagesRead(tx);
      await tx.$executeRaw`UPDATE message_recipient SET status = 'delivered' WHERE id = ${id}::uuid`;
      return (await messagesRead(tx)) - before;
    });
    expect(rowsRead).toBeGreaterThan(0);
    expect(rowsRead).toBeLessThanOrEqual(4);
  });

  it('is one row for all messages that a statement changes in the same way', async () => {
    const pending = async () => {
      const changes = await db.analyticsChange.findMany({ where: { domainId: domain.id }, orderBy: { id: 'asc' } });
      await db.analyticsChange.deleteMany({ where: { domainId: domain.id } });
      return changes.map(({ recipientDomain, delta, status }) => [
        recipientDomain ? 'recipients' : 'messages',
        delta,
        status,
      ]);
    };
    await addMessages(3);
    expect((await pending()).filter(([of]) => of === 'messages')).toEqual([['messages', 3, 'sent']]);
    // One enters the status that the others leave: message_total counts that it did.
    await db.message.updateMany({ where: { queueId: 'Q1', domainId: domain.id }, data: { status: 'deferred' } });
    expect(await pending()).toHaveLength(2);
    await db.$executeRaw`
      UPDATE message SET status = CASE status WHEN 'sent' THEN 'delivered' ELSE 'sent' END::message_status
       WHERE domain_id = ${domain.id}::uuid`;
    expect((await pending()).toSorted()).toEqual([
      ['messages', -1, 'deferred'],
      ['messages', -2, 'sent'],
      ['messages', 1, 'sent'],
      ['messages', 2, 'delivered'],
    ]);
    await db.$executeRaw`UPDATE message SET subject = 'Hi' WHERE domain_id = ${domain.id}::uuid`;
    await db.$executeRaw`
      UPDATE message_recipient r SET status = 'sent' FROM message m WHERE m.id = r.message_id AND m.domain_id = ${domain.id}::uuid`;
    expect(await pending()).toEqual([]);
  });
});

describe('adding up changes', () => {
  it('by several instances at once adds each change once, and every read meanwhile is exact', async () => {
    await addMessages(3_000);
    let isFolding = true;
    const folding = Promise.all([1, 2, 3].map(() => foldAnalytics(db))).finally(() => {
      isFolding = false;
    });
    let reads = 0;
    do {
      const { totals, breakdown } = await read('&dimension=provider');
      expect([totals.sent, breakdown[0].sent]).toEqual([3_000, 3_000]);
      reads += 1;
    } while (isFolding || reads < 3);
    await folding;
    await foldAnalytics(db);
    expect(await db.analyticsChange.count()).toBe(0);
    expect((await read()).totals).toMatchObject({ sent: 3_000, in_transit: 3_000 });
  });

  it('loses and repeats nothing if it is interrupted', async () => {
    await addMessages(10);
    await expect(
      db.$transaction(async (tx) => {
        await tx.$queryRaw`SELECT fold_analytics(1000)`;
        throw new Error('interrupted');
      }),
    ).rejects.toThrow('interrupted');
    expect((await read()).totals.sent).toBe(10);
    await foldAnalytics(db);
    await foldAnalytics(db);
    expect((await read()).totals.sent).toBe(10);
  });

  it('moves a message from one status to another, without a row for what cancels out', async () => {
    await addMessages(5);
    await setStatus('deferred');
    await setStatus('delivered');
    await foldAnalytics(db);
    const rows = await db.analyticsCount.findMany({ where: { domainId: domain.id, level: 'quarter' } });
    expect(rows.reduce((sum, { count }) => sum + count, 0)).toBe(5);
    expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['delivered']));
  });
});

it('messages that are deleted stay counted', async () => {
  await addMessages(4);
  await db.message.deleteMany({ where: { domainId: domain.id } });
  expect((await read()).totals.sent).toBe(4);
});

it('stores a bounded number of values per hour, and counts the others together', async () => {
  await addMessages(450);
  await foldAnalytics(db);
  await addMessages(150, 1_000);
  await foldAnalytics(db);
  await setStatus('delivered');
  await foldAnalytics(db);
  const where = { domainId: domain.id, dimension: 'recipient_domain', level: 'day' } as const;
  const values = await db.analyticsBreakdown.groupBy({ by: ['value'], where, _sum: { count: true } });
  expect(values).toHaveLength(501);
  expect(values.find(({ value }) => value === '')?._sum.count).toBe(100);
  const negative = await db.analyticsBreakdown.findMany({ where: { domainId: domain.id, count: { lt: 0 } } });
  expect(negative).toEqual([]);
  const { breakdown } = await read('&dimension=recipient_domain&limit=1');
  expect(breakdown).toMatchObject([{ delivered: 1 }, { value: null, delivered: 599, sent: 599 }]);
});

import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { deleteOldSends } from './spikes';

const HOUR_MS = 3_600_000;
const MAILBOX_LIMIT = 4;
const DOMAIN_LIMIT = 6;

type Counted = { id: string; address: string; at: number };

type Counting = { result: string; sent: number };

function count(ids: string[], address: string, domainId: string, moments: number[]): Promise<Counting[]> {
  const dates = moments.map((at) => new Date(at));
  return db.$queryRaw<Counting[]>`
    SELECT result, sent FROM count_sends(${ids}::uuid[], ${dates}::timestamptz[], ${address}, ${domainId}::uuid)`;
}

beforeEach(async () => {
  const data = { mailboxHourly: MAILBOX_LIMIT, domainHourly: DOMAIN_LIMIT };
  await db.abuseThreshold.update({ where: { id: 1 }, data });
});

const step = fc.record({
  kind: fc.constantFrom('send', 'send', 'send', 'send', 'uncount', 'reset', 'delete old'),
  /** Mostly forward. Clocks of instances differ a little. */
  seconds: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 0, max: 900 }) },
    { weight: 1, arbitrary: fc.integer({ min: -30, max: 0 }) },
    { weight: 1, arbitrary: fc.integer({ min: 3_500, max: 12 * 24 * 3_600 }) },
  ),
  sender: fc.constantFrom('ann', 'bo'),
  which: fc.nat(),
  /** Milliseconds between the messages of a send. */
  together: fc.array(fc.constantFrom(0, 1, 2_000, 600_000), { maxLength: 4 }),
});

describe('the hourly counts', () => {
  it('are those of a count of all messages of the hour, whatever happened before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const domain = await makeDomain();
        const mailbox = await makeMailbox(domain.id, 'ann');
        const sent: Counted[] = [];
        let [now, resetAt] = [Date.parse('2026-11-01T00:00:00Z'), 0];
        for (const { kind, seconds, sender, which, together } of steps) {
          now += seconds * 1000;
          if (kind === 'uncount' && sent.length > 0) {
            const [gone] = sent.splice(which % sent.length, 1);
            await db.$executeRaw`SELECT uncount_send(${gone?.id}::uuid)`;
          } else if (kind === 'reset') {
            resetAt = now;
            await db.mailbox.update({ where: { id: mailbox.id }, data: { rateCountedFrom: new Date(now) } });
          } else if (kind === 'delete old') {
            await deleteOldSends(db, new Date(now));
          } else if (kind === 'send') {
            const address = `${sender}@${domain.name}`;
            const moments = [now, ...together.map((gap) => (now += gap))];
            const ids = moments.map(() => uuidv7());
            const expected = moments.map((at, index) => {
              const inHour = sent.filter((each) => each.at > at - HOUR_MS);
              const own = inHour.filter((each) => each.address === address && (sender === 'bo' || each.at >= resetAt));
              if (own.length >= MAILBOX_LIMIT) return { result: 'address_limit', sent: own.length };
              if (inHour.length >= DOMAIN_LIMIT) return { result: 'domain_limit', sent: inHour.length };
              sent.push({ id: ids[index] as string, address, at });
              return { result: 'counted', sent: inHour.length };
            });
            expect(await count(ids, address, domain.id, moments)).toEqual(expected);
          }
        }
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  it('read a few messages for each new one, however many were sent in the hour', async () => {
    const domain = await makeDomain();
    const [address, now] = [`ann@${domain.name}`, Date.now()];
    await db.abuseThreshold.update({ where: { id: 1 }, data: { mailboxHourly: 10_000, domainHourly: 10_000 } });
    await db.countedSend.createMany({
      data: Array.from({ length: 3_000 }, (_, i) => ({
        id: uuidv7(),
        address,
        domainId: domain.id,
        at: new Date(now - i * 1000),
      })),
    });
    expect(await count([uuidv7()], address, domain.id, [now])).toEqual([{ result: 'counted', sent: 3_000 }]);
    const read = await db.$transaction(async (tx) => {
      const rowsRead = async () => {
        const [rows] = await tx.$queryRaw<[{ read: number }]>`
          SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = 'counted_send'`;
        return rows.read;
      };
      const before = await rowsRead();
      const at = new Date(now + 2_000);
      await tx.$queryRaw`
        SELECT result FROM count_sends(ARRAY[${uuidv7()}::uuid], ARRAY[${at}::timestamptz], ${address}, ${domain.id}::uuid)`;
      return (await rowsRead()) - before;
    });
    expect(read).toBeLessThan(20);
  });
});

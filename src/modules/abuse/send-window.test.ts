import fc from 'fast-check';
import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { deleteOldSends } from './spikes';

const HOUR_MS = 3_600_000;
const MAILBOX_LIMIT = 4;
const DOMAIN_LIMIT = 6;

type Counted = { id: string; address: string; at: number };

async function count(id: string, address: string, domainId: string, at: number) {
  const [counting] = await db.$queryRaw<[{ result: string; sent: number }]>`
    SELECT result, sent FROM count_send(${id}::uuid, ${address}, ${domainId}::uuid, ${new Date(at)}::timestamptz)`;
  return counting;
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
});

describe('the hourly counts', () => {
  it('are those of a count of all messages of the hour, whatever happened before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const domain = await makeDomain();
        const mailbox = await makeMailbox(domain.id, 'ann');
        const sent: Counted[] = [];
        let [now, resetAt] = [Date.parse('2026-11-01T00:00:00Z'), 0];
        for (const { kind, seconds, sender, which } of steps) {
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
            const [id, address] = [uuidv7(), `${sender}@${domain.name}`];
            const inHour = sent.filter(({ at }) => at > now - HOUR_MS);
            const own = inHour.filter((each) => each.address === address && (sender === 'bo' || each.at >= resetAt));
            const expected =
              own.length >= MAILBOX_LIMIT
                ? { result: 'address_limit', sent: own.length }
                : { result: inHour.length >= DOMAIN_LIMIT ? 'domain_limit' : 'counted', sent: inHour.length };
            expect(await count(id, address, domain.id, now)).toEqual(expected);
            if (expected.result === 'counted') sent.push({ id, address, at: now });
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
    expect(await count(uuidv7(), address, domain.id, now)).toEqual({ result: 'counted', sent: 3_000 });
    const read = await db.$transaction(async (tx) => {
      const rowsRead = async () => {
        const [rows] = await tx.$queryRaw<[{ read: number }]>`
          SELECT (seq_tup_read + idx_tup_fetch)::int AS read FROM pg_stat_xact_user_tables WHERE relname = 'counted_send'`;
        return rows.read;
      };
      const before = await rowsRead();
      const at = new Date(now + 2_000);
      await tx.$queryRaw`SELECT result FROM count_send(${uuidv7()}::uuid, ${address}, ${domain.id}::uuid, ${at}::timestamptz)`;
      return (await rowsRead()) - before;
    });
    expect(read).toBeLessThan(20);
  });
});

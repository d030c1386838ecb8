import { describe, expect, it } from 'vitest';
import { type QueueFile, queueFile } from '@/test/mail/queued-mail';
import type { QueueQuery } from '../../agent-requests';
import { readPages } from './queue-page';

const SECOND_ONE = 1_795_000_000;

async function* linesOf(files: Iterable<QueueFile>) {
  for (const file of files) yield JSON.stringify(file);
}

async function pageOf(files: Iterable<QueueFile>, over: Partial<QueueQuery> = {}) {
  const [page] = await readPages(linesOf(files), [{ order: 'asc', limit: 10, ...over }]);
  if (!page) throw new Error('there is a page for each query');
  return page;
}

const idsOf = async (...args: Parameters<typeof pageOf>) =>
  (await pageOf(...args)).messages.map(({ queueId }) => queueId);

/** Seven messages a second in no order, as the queue's folders give them. */
function* manyFiles(count: number) {
  for (let index = 0; index < count; index++) {
    // 7919 is prime: every place comes once.
    const place = (index * 7919) % count;
    yield queueFile({
      queue_id: idAt(place),
      arrival_time: SECOND_ONE + Math.floor(place / 7),
      queue_name: place % 5 === 0 ? 'hold' : 'deferred',
      sender: place % 2 === 0 ? 'even@harbour.example' : 'Odd@Harbour.example',
    });
  }
}

// Within a second, ids go down while places go up.
const idAt = (place: number) => `4jWsM3${String(9_999_999 - place).padStart(7, '0')}zMFgn`;

describe('a page of the queue', () => {
  it('of 200,000 messages is by arrival, then by queue id, and counts all of them', async () => {
    const count = 200_000;
    const byArrival = (from: number, to: number) =>
      Array.from({ length: Math.ceil(to / 7) }, (_, second) =>
        Array.from({ length: 7 }, (_, tie) => idAt(second * 7 + 6 - tie)),
      )
        .flat()
        .slice(from, to);
    const first = await pageOf(manyFiles(count), { limit: 24 });
    expect(first.messages.map(({ queueId }) => queueId)).toEqual(byArrival(0, 25));
    expect(first.counts).toEqual({ deferred: 160_000, hold: 40_000 });

    const last = first.messages[23];
    const after = { arrivedAt: String(last?.arrivedAt), queueId: String(last?.queueId) };
    expect(await idsOf(manyFiles(count), { limit: 24, after })).toEqual(byArrival(24, 49));
    const before = await idsOf(manyFiles(count), { limit: 100, order: 'desc', after });
    expect(before).toEqual(byArrival(0, 23).toReversed());
    const [newest] = await idsOf(manyFiles(count), { limit: 1, order: 'desc' });
    // The last second has three: 199,997 to 199,999.
    expect(newest).toBe(idAt(199_997));
  });

  it('has each message once, as it was read last, though it was listed twice', async () => {
    const moved = [queueFile({ queue_id: 'A00001', queue_name: 'active' }), queueFile({ queue_id: 'A00001' })];
    const { messages } = await pageOf(moved);
    expect(messages).toMatchObject([{ queueId: 'A00001', queue: 'deferred' }]);
  });

  it('keeps to a queue, a sender, a recipient and their domains, whatever the letter case', async () => {
    const files = [
      queueFile({ queue_id: 'A00001', queue_name: 'hold', sender: 'Ann@Harbour.example' }),
      queueFile({ queue_id: 'A00002', sender: 'bo@harbour.example', recipients: [{ address: 'Cy@far.example' }] }),
      queueFile({ queue_id: 'A00003', sender: 'MAILER-DAEMON', recipients: [{ address: 'x@notfar.example' }] }),
    ];
    expect(await idsOf(files, { queue: 'hold' })).toEqual(['A00001']);
    expect(await idsOf(files, { sender: 'ann@harbour.example' })).toEqual(['A00001']);
    expect(await idsOf(files, { sender: '@HARBOUR.example' })).toEqual(['A00001', 'A00002']);
    expect(await idsOf(files, { sender: '<>' })).toEqual(['A00003']);
    expect(await idsOf(files, { recipient: 'cy@far.example' })).toEqual(['A00002']);
    expect(await idsOf(files, { recipient: '@far.example' })).toEqual(['A00001', 'A00002']);
    expect((await pageOf(files, { queue: 'active' })).counts).toEqual({ hold: 1, deferred: 2 });
  });

  it('bounds what one message may say', async () => {
    const recipients = Array.from({ length: 1_000 }, (_, index) => ({
      address: `r${index}@far.example`,
      delay_reason: 'x'.repeat(5_000),
    }));
    const [message] = (await pageOf([queueFile({ queue_id: 'A00001', sender: 'MAILER-DAEMON', recipients })])).messages;
    expect(message).toMatchObject({ from: '', recipientCount: 1_000 });
    expect(message?.recipients).toHaveLength(20);
    expect(message?.recipients[0]?.reason).toHaveLength(500);
  });

  it('is taken for several queries from one reading', async () => {
    let readings = 0;
    async function* lines() {
      readings += 1;
      yield JSON.stringify(queueFile({ queue_id: 'A00001' }));
      yield JSON.stringify(queueFile({ queue_id: 'A00002', queue_name: 'hold' }));
    }
    const query = { order: 'asc', limit: 5 } as const;
    const pages = await readPages(lines(), [
      { ...query, queue: 'hold' },
      { ...query, queue: 'deferred' },
    ]);
    expect(pages.map(({ messages }) => messages.map(({ queueId }) => queueId))).toEqual([['A00002'], ['A00001']]);
    expect(readings).toBe(1);
  });
});

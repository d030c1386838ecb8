import { describe, expect, it } from 'vitest';
import { type QueueFile, queueFile } from '@/test/mail/queued-mail';
import type { QueueQuery } from '../requests';
import { readPages } from './queue-page';

const FIRST_SECOND = 1_795_000_000;

async function* linesOf(files: Iterable<QueueFile>) {
  for (const file of files) yield JSON.stringify(file);
}

async function pageOf(files: Iterable<QueueFile>, over: Partial<QueueQuery> = {}) {
  const [page] = await readPages(linesOf(files), [{ order: 'asc', limit: 10, ...over }]);
  if (!page) throw new Error('expected one page per query');
  return page;
}

const idsOf = async (...args: Parameters<typeof pageOf>) =>
  (await pageOf(...args)).messages.map(({ queueId }) => queueId);

/** Seven messages per second of arrival, unsorted like Postfix lists them. */
function* manyFiles(count: number) {
  for (let index = 0; index < count; index++) {
    // 7919 is prime, so every position occurs once.
    const position = (index * 7919) % count;
    yield queueFile({
      queue_id: idAt(position),
      arrival_time: FIRST_SECOND + Math.floor(position / 7),
      queue_name: position % 5 === 0 ? 'hold' : 'deferred',
      sender: position % 2 === 0 ? 'even@harbour.example' : 'Odd@Harbour.example',
    });
  }
}

// Within a second, ids decrease as positions increase.
const idAt = (position: number) => `4jWsM3${String(9_999_999 - position).padStart(7, '0')}zMFgn`;

describe('a page of the queue', () => {
  it('of thousands of messages is sorted by arrival and then queue id, with the counts of all', async () => {
    const count = 20_002;
    const byArrival = (from: number, to: number) =>
      Array.from({ length: Math.ceil(to / 7) }, (_, second) =>
        Array.from({ length: 7 }, (_, tie) => idAt(second * 7 + 6 - tie)),
      )
        .flat()
        .slice(from, to);
    const first = await pageOf(manyFiles(count), { limit: 24 });
    expect(first.messages.map(({ queueId }) => queueId)).toEqual(byArrival(0, 25));
    expect(first.counts).toEqual({ deferred: 16_001, hold: 4_001 });

    const last = first.messages[23];
    const after = { arrivedAt: String(last?.arrivedAt), queueId: String(last?.queueId) };
    const pages = await readPages(linesOf(manyFiles(count)), [
      { order: 'asc', limit: 24, after },
      { order: 'desc', limit: 100, after },
      { order: 'desc', limit: 1 },
    ]);
    const [next, before, [newest] = []] = pages.map(({ messages }) => messages.map(({ queueId }) => queueId));
    expect(next).toEqual(byArrival(24, 49));
    expect(before).toEqual(byArrival(0, 23).toReversed());
    // Three messages arrived in the last second: 19,999 to 20,001.
    expect(newest).toBe(idAt(19_999));
  });

  it('lists a message once, as last read, if Postfix listed it twice', async () => {
    const moved = [queueFile({ queue_id: 'A00001', queue_name: 'active' }), queueFile({ queue_id: 'A00001' })];
    const { messages } = await pageOf(moved);
    expect(messages).toMatchObject([{ queueId: 'A00001', queue: 'deferred' }]);
  });

  it('filters by queue, sender and recipient or their domains, case-insensitively', async () => {
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

  it('has the authors of messages with bounce addresses, and finds messages by them', async () => {
    const bounce = (index: number) => `bounces+${String(index).padStart(52, '0')}@harbour.example`;
    const authors = new Map([1, 2].map((index) => [bounce(index), `author${index}@harbour.example`]));
    let lookups = 0;
    const findAuthors = async (asked: string[]) => {
      lookups += 1;
      expect(asked.length).toBeLessThanOrEqual(500);
      return new Map([...authors].filter(([address]) => asked.includes(address)));
    };
    const files = [
      queueFile({ queue_id: 'A00001', sender: bounce(1) }),
      // The author is unknown.
      ...Array.from({ length: 1_000 }, (_, index) =>
        queueFile({ queue_id: `B${10_000 + index}`, sender: bounce(3 + index) }),
      ),
      queueFile({ queue_id: 'C00001', sender: bounce(2) }),
      queueFile({ queue_id: 'C00002', sender: 'author2@harbour.example' }),
      queueFile({ queue_id: 'C00003', sender: 'MAILER-DAEMON' }),
    ];
    const found = async (sender: string) => {
      const [page] = await readPages(linesOf(files), [{ order: 'asc', limit: 2, sender }], { findAuthors });
      return page?.messages.map(({ queueId, from }) => [queueId, from]);
    };
    expect(await found('Author1@harbour.example')).toEqual([['A00001', 'author1@harbour.example']]);
    expect(lookups).toBe(4);
    const both = ['C00001', 'C00002'].map((queueId) => [queueId, 'author2@harbour.example']);
    expect(await found('author2@harbour.example')).toEqual(both);
    expect(await found(bounce(2))).toEqual([both[0]]);
    expect(await found('<>')).toEqual([['C00003', '']]);
    const [all] = await readPages(linesOf(files), [{ order: 'asc', limit: 1 }], { findAuthors });
    expect(all?.messages.map(({ from }) => from)).toEqual(['author1@harbour.example', bounce(3)]);
  });

  it('truncates recipients and reasons', async () => {
    const recipients = Array.from({ length: 1_000 }, (_, index) => ({
      address: `r${index}@far.example`,
      delay_reason: 'x'.repeat(5_000),
    }));
    const [message] = (await pageOf([queueFile({ queue_id: 'A00001', sender: 'MAILER-DAEMON', recipients })])).messages;
    expect(message).toMatchObject({ from: '', recipientCount: 1_000 });
    expect(message?.recipients).toHaveLength(20);
    expect(message?.recipients[0]?.reason).toHaveLength(500);
  });

  it('counts why the messages of the whole queue wait, for a summary only', async () => {
    const full = 'host mx.far.example[192.0.2.7] said: 452 4.2.2 Mailbox full';
    const refused = 'connect to mx.far.example[192.0.2.7]:25: Connection refused';
    const file = (index: number, address: string, delay_reason?: string, over: Partial<QueueFile> = {}) =>
      queueFile({
        queue_id: `A0000${index}`,
        arrival_time: FIRST_SECOND + index,
        recipients: [{ address, delay_reason }],
        ...over,
      });
    const files = [
      file(1, 'ann@far.example', refused),
      file(3, 'Cy@far.example', full),
      file(2, 'cy@far.example', full),
      file(4, 'bo@far.example', refused),
      file(5, 'bo@far.example', refused),
      file(6, 'di@far.example', full),
      file(7, 'x@far.example', refused, { queue_name: 'hold' }),
      file(8, 'x@far.example', undefined, { queue_name: 'active' }),
      file(9, 'x@far.example', undefined, { queue_name: 'active', arrival_time: Math.floor(Date.now() / 1_000) }),
    ];
    const { causes } = await pageOf(files, { limit: 1, isSummary: true });
    const oldestAt = (index: number) => new Date((FIRST_SECOND + index) * 1_000).toISOString();
    expect(causes).toEqual([
      { recipient: '@far.example', reason: refused, count: 3, oldestAt: oldestAt(1), expiresAt: null },
      { recipient: 'cy@far.example', reason: full, count: 2, oldestAt: oldestAt(2), expiresAt: null },
      { recipient: 'di@far.example', reason: full, count: 1, oldestAt: oldestAt(6), expiresAt: null },
      { recipient: null, reason: null, count: 1, oldestAt: oldestAt(8), expiresAt: null },
    ]);
    expect(await pageOf(files)).not.toHaveProperty('causes');
  });

  it('counts messages of suspended senders apart, also those with a bounce address, and says when the first expire', async () => {
    const reason = 'host mx.far.example[192.0.2.7] said: 450 4.7.1 Later';
    const file = (index: number, sender: string) =>
      queueFile({
        ...{ queue_id: `A0000${index}`, sender, arrival_time: FIRST_SECOND + index },
        recipients: [{ address: `ann${index}@far.example`, delay_reason: reason }],
      });
    const bounceAddress = `bounces+${'0a'.repeat(26)}@harbour.example`;
    const files = [
      file(4, 'Info@harbour.example'),
      file(2, bounceAddress),
      file(3, 'bo@harbour.example'),
      file(1, 'MAILER-DAEMON'),
    ];
    const at = (seconds: number) => new Date((FIRST_SECOND + seconds) * 1_000).toISOString();
    const [page] = await readPages(
      linesOf(files),
      [{ order: 'asc', limit: 1, isSummary: true, suspended: ['info@harbour.example'] }],
      {
        findAuthors: async () => new Map([[bounceAddress, 'info@harbour.example']]),
        lifetimeOf: (sender) => (sender === '' ? 9_000 : 5_000),
      },
    );
    expect(page?.causes).toEqual([
      { sender: 'info@harbour.example', recipient: null, reason: null, count: 2, oldestAt: at(2), expiresAt: at(7) },
      { recipient: '@far.example', reason, count: 2, oldestAt: at(1), expiresAt: at(8) },
    ]);
  });

  it('serves several queries from one read', async () => {
    let reads = 0;
    async function* lines() {
      reads += 1;
      yield JSON.stringify(queueFile({ queue_id: 'A00001' }));
      yield JSON.stringify(queueFile({ queue_id: 'A00002', queue_name: 'hold' }));
    }
    const query = { order: 'asc', limit: 5 } as const;
    const pages = await readPages(lines(), [
      { ...query, queue: 'hold' },
      { ...query, queue: 'deferred' },
    ]);
    expect(pages.map(({ messages }) => messages.map(({ queueId }) => queueId))).toEqual([['A00002'], ['A00001']]);
    expect(reads).toBe(1);
  });
});

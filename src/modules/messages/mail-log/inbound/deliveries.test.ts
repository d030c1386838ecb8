import { beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, makeWebhook } from '@/test/factories';
import {
  delivery,
  keptCopies,
  lines,
  newQueueId,
  readFilter,
  readLines,
  stored,
  accepted,
  emittedEvents,
  reportRun,
} from '@/test/mail/logged-mail';
import { createDeliveryReporter } from './deliveries';

const RAW = 'From: Bo <bo@far.example>\r\nSubject: Offer\r\nMessage-ID: <offer@far.example>\r\n\r\nGood morning.\r\n';

let domain: { id: string; name: string };
let other: { id: string; name: string };
let queueId: string;
const at = (local: string) => `${local}@${domain.name}`;
const tellArrivals = createDeliveryReporter(db, keptCopies());
const removed = { kind: 'removed' } as const;

beforeEach(async () => {
  [domain, other] = [await makeDomain(), await makeDomain()];
  for (const local of ['ann', 'bo']) await makeMailbox(domain.id, local);
  queueId = newQueueId();
});

async function arrive(...facts: Parameters<typeof lines>[1][]) {
  await readFilter(queueId, { recipients: [at('ann')] }, RAW);
  await readLines(...lines(queueId, ...accepted('bo@far.example'), ...facts));
}

const arriveAlso = (...facts: Parameters<typeof lines>[1][]) => readLines(...lines(queueId, ...facts));

async function received(domainId = domain.id) {
  return (await emittedEvents(domainId, 'mail.received')).map(({ data }) => data.to as string).toSorted();
}

const messages = () =>
  db.message.findMany({
    where: { queueId, direction: 'inbound' },
    include: { events: { orderBy: [{ at: 'asc' }, { id: 'asc' }] }, recipients: { orderBy: { address: 'asc' } } },
  });

describe('mail that reached a mailbox', () => {
  it('is told with what its header says and what the log knows of it', async () => {
    await arrive(stored(at('ann')), removed);
    await tellArrivals(reportRun());
    expect(await emittedEvents(domain.id)).toMatchObject([
      {
        id: '<offer@far.example>',
        event: 'mail.received',
        data: { from: 'bo@far.example', to: at('ann'), subject: 'Offer', size: 500, queue_id: queueId },
      },
    ]);
    expect(await messages()).toMatchObject([
      { messageId: '<offer@far.example>', status: 'received', spamScore: 1, toAddresses: [at('ann')] },
    ]);
    expect(await db.loggedMail.findUnique({ where: { queueId } })).toMatchObject({ raw: null });
  });

  it('is told once for each mailbox, however many addresses led there', async () => {
    await arrive(
      stored(at('ann'), at('info')),
      stored(at('ann'), at('sales')),
      stored(at('ann')),
      stored(at('bo'), at('info')),
      removed,
    );
    await tellArrivals(reportRun());
    await tellArrivals(reportRun());
    expect(await received()).toEqual([at('ann'), at('bo')]);
    const [message, ...more] = await messages();
    expect(more).toEqual([]);
    expect(message?.toAddresses.toSorted()).toEqual([at('ann'), at('info'), at('sales')]);
  });

  it('is told once for an address in several letter cases', async () => {
    await arrive(stored(`Ann@${domain.name.toUpperCase()}`), stored(at('ann'), at('ANN')), removed);
    await tellArrivals(reportRun());
    expect(await received()).toEqual([at('ann')]);
  });

  it('is told once where two tell of it at the same time', async () => {
    await arrive(stored(at('ann')), stored(at('bo')), removed);
    const tellers = [1, 2, 3, 4].map(() => createDeliveryReporter(db, keptCopies()));
    await Promise.all(tellers.map((tell) => tell(reportRun())));
    for (const tell of tellers) await tell(reportRun({ afterMs: 120_000 }));
    expect(await received()).toEqual([at('ann'), at('bo')]);
    expect((await messages()).map(({ events }) => events.length)).toEqual([2]);
  });

  it('and of a part of which another tells meanwhile is told for the rest', async () => {
    await readLines(...lines(queueId, ...accepted('bo@far.example'), stored(at('ann')), stored(at('bo')), removed));
    const recipient = at('ann');
    const tell = createDeliveryReporter(
      db,
      keptCopies({
        fetch: async () => {
          await db.inboundDelivery.updateMany({ where: { queueId, recipient }, data: { reportedAt: new Date() } });
          return Buffer.from('Subject: x\r\n');
        },
      }),
    );
    await tell(reportRun());
    await tell(reportRun({ afterMs: 120_000 }));
    expect(await received()).toEqual([at('bo')]);
  });

  it('waits for its other recipients, and no longer than 3 seconds', async () => {
    await arrive(stored(at('ann')));
    await tellArrivals(reportRun({ afterMs: 2_900 }));
    expect(await received()).toEqual([]);
    await tellArrivals(reportRun({ afterMs: 3_100 }));
    expect(await received()).toEqual([at('ann')]);
  });
});

describe('what arrives later', () => {
  it('adds to the same message, and tells only the new mailbox', async () => {
    await arrive(stored(at('ann'), at('info')));
    await tellArrivals(reportRun());
    await arriveAlso(stored(at('bo'), at('info')), stored(at('ann'), at('sales')), removed);
    await tellArrivals(reportRun());
    expect(await received()).toEqual([at('ann'), at('bo')]);
    const [message, ...more] = await messages();
    expect(more).toEqual([]);
    expect(message?.toAddresses).toEqual([at('info'), at('sales')]);
    expect(message?.recipients.map(({ address }) => address)).toEqual([at('info'), at('sales')]);
  });

  it('is told in full once more for a new domain only', async () => {
    await makeWebhook({ events: ['mail.received.full'] });
    await arrive(stored(at('ann')));
    await tellArrivals(reportRun());
    await arriveAlso(stored(at('bo')));
    await tellArrivals(reportRun());
    expect(await emittedEvents(domain.id, 'mail.received.full')).toHaveLength(1);
    await makeMailbox(other.id, 'cy');
    await arriveAlso(stored(`cy@${other.name}`), removed);
    await tellArrivals(reportRun());
    expect(await emittedEvents(domain.id, 'mail.received.full')).toHaveLength(1);
    const [full, ...more] = await emittedEvents(other.id, 'mail.received.full');
    expect(more).toEqual([]);
    expect(full?.data).toMatchObject({
      subject: 'Offer',
      body_text: expect.stringMatching(/^Good morning/),
      envelope: { rcpt_to: [`cy@${other.name}`] },
    });
  });
});

it('mail that the log tells of again, as after a gap, is told once, and what it tells first then is told', async () => {
  const facts = [
    ...accepted('bo@far.example'),
    stored(at('ann'), at('info')),
    delivery('z@far.example', { addressedTo: at('out') }),
  ];
  await readLines(...lines(queueId, ...facts, removed));
  await tellArrivals(reportRun());
  const before = await messages();
  await db.loggedMail.delete({ where: { queueId } });
  await readLines(...lines(queueId, ...facts, removed));
  await tellArrivals(reportRun());
  expect(await received()).toEqual([at('ann')]);
  expect(await messages()).toEqual(before);
  expect(await db.inboundDelivery.count({ where: { queueId, reportedAt: null } })).toBe(0);
  await arriveAlso(stored(at('bo'), at('info')));
  await tellArrivals(reportRun());
  expect(await received()).toEqual([at('ann'), at('bo')]);
});

describe('mail that is only sent on', () => {
  it('is a message with its trace, and no mailbox has received it', async () => {
    await arrive(delivery('z@far.example', { addressedTo: at('out') }), removed);
    await tellArrivals(reportRun());
    expect(await emittedEvents(domain.id)).toEqual([]);
    const [message] = await messages();
    expect(message?.events).toMatchObject([
      { type: 'forwarded', recipient: at('out'), detail: { forwarded_to: 'z@far.example' } },
    ]);
  });

  it('to another of our domains is a message of both', async () => {
    await makeMailbox(other.id, 'cy');
    await arrive(stored(`cy@${other.name}`, at('out')), removed);
    await tellArrivals(reportRun());
    expect(await received(other.id)).toEqual([`cy@${other.name}`]);
    expect((await messages()).map(({ domainId }) => domainId)).toEqual([domain.id]);
  });
});

describe('mail of a domain that is deleted meanwhile', () => {
  async function deleteDomain() {
    await db.mailbox.deleteMany({ where: { domainId: domain.id } });
    await db.domain.deleteMany({ where: { id: domain.id } });
  }

  it('is dropped, and keeps nothing waiting', async () => {
    await arrive(stored(at('ann')), stored(`cy@${other.name}`), removed);
    await deleteDomain();
    await tellArrivals(reportRun());
    expect(await received()).toEqual([]);
    expect(await received(other.id)).toEqual([`cy@${other.name}`]);
    expect(await db.inboundDelivery.count({ where: { queueId, reportedAt: null } })).toBe(0);
  });

  it('just as it is told is told for the others', async () => {
    await readLines(...lines(queueId, ...accepted('bo@far.example'), stored(at('ann')), stored(`cy@${other.name}`)));
    const tell = createDeliveryReporter(
      db,
      keptCopies({
        fetch: async () => {
          await deleteDomain();
          return Buffer.from('Subject: x\r\n');
        },
      }),
    );
    await tell(reportRun());
    await tell(reportRun({ afterMs: 120_000 }));
    expect(await received(other.id)).toEqual([`cy@${other.name}`]);
    expect(await db.inboundDelivery.count({ where: { queueId, reportedAt: null } })).toBe(0);
  });

  it('all of them, is dropped', async () => {
    await arrive(stored(at('ann')), removed);
    await deleteDomain();
    await tellArrivals(reportRun());
    expect(await messages()).toEqual([]);
    expect(await db.inboundDelivery.count({ where: { queueId, reportedAt: null } })).toBe(0);
  });
});

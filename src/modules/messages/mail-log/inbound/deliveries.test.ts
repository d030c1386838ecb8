import { beforeEach, describe, expect, it } from 'vitest';
import type { LogFact } from '@/mail/log/log-line';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, makeWebhook } from '@/test/factories';
import { accepted, delivery, emittedEvents, messageCopies, reportRun, stored } from '@/test/mail/logged-mail';
import { makeOneMessage, OFFER, type OneMessage } from '@/test/mail/one-message';
import { createDeliveryReporter } from './deliveries';

let other: { id: string; name: string };
let mail: OneMessage;
const at = (local: string) => `${local}@${mail.domain.name}`;
const reportDeliveries = createDeliveryReporter(db, messageCopies());
const removed = { kind: 'removed' } as const;

beforeEach(async () => {
  mail = await makeOneMessage('ann', 'bo');
  other = await makeDomain();
});

async function logged(...facts: LogFact[]) {
  await mail.filtered({ recipients: [at('ann')] }, OFFER);
  await mail.logged(...accepted('bo@far.example'), ...facts);
}

const alsoLogged = (...facts: LogFact[]) => mail.logged(...facts);

async function received(domainId = mail.domain.id) {
  return (await emittedEvents(domainId, 'mail.received')).map(({ data }) => data.to as string).toSorted();
}

const messages = () =>
  db.message.findMany({
    where: { queueId: mail.queueId, direction: 'inbound' },
    include: { events: { orderBy: [{ at: 'asc' }, { id: 'asc' }] }, recipients: { orderBy: { address: 'asc' } } },
  });

describe('mail delivered to a mailbox', () => {
  it('is reported with fields from its header and from the log', async () => {
    await logged(stored(at('ann')), removed);
    await reportDeliveries(reportRun());
    expect(await mail.emitted()).toMatchObject([
      {
        id: '<offer@far.example>',
        event: 'mail.received',
        data: { from: 'bo@far.example', to: at('ann'), subject: 'Offer', size: 500, queue_id: mail.queueId },
      },
    ]);
    expect(await messages()).toMatchObject([
      { messageId: '<offer@far.example>', status: 'received', spamScore: 1, toAddresses: [at('ann')] },
    ]);
    expect(await db.loggedMail.findUnique({ where: { queueId: mail.queueId } })).toMatchObject({ raw: null });
  });

  it('is reported once per mailbox, even if several addresses deliver there', async () => {
    await logged(
      stored(at('ann'), at('info')),
      stored(at('ann'), at('sales')),
      stored(at('ann')),
      stored(at('bo'), at('info')),
      removed,
    );
    await reportDeliveries(reportRun());
    await reportDeliveries(reportRun());
    expect(await received()).toEqual([at('ann'), at('bo')]);
    const [message, ...more] = await messages();
    expect(more).toEqual([]);
    expect(message?.toAddresses.toSorted()).toEqual([at('ann'), at('info'), at('sales')]);
  });

  it('is reported once for an address spelled in different cases', async () => {
    await logged(stored(`Ann@${mail.domain.name.toUpperCase()}`), stored(at('ann'), at('ANN')), removed);
    await reportDeliveries(reportRun());
    expect(await received()).toEqual([at('ann')]);
  });

  it('is reported once by concurrent reporters', async () => {
    await logged(stored(at('ann')), stored(at('bo')), removed);
    const reporters = [1, 2, 3, 4].map(() => createDeliveryReporter(db, messageCopies()));
    await Promise.all(reporters.map((report) => report(reportRun())));
    for (const report of reporters) await report(reportRun({ afterMs: 120_000 }));
    expect(await received()).toEqual([at('ann'), at('bo')]);
    expect((await messages()).map(({ events }) => events.length)).toEqual([2]);
  });

  it('is reported for the rest if another reporter has reported a part meanwhile', async () => {
    await mail.logged(...accepted('bo@far.example'), stored(at('ann')), stored(at('bo')), removed);
    const recipient = at('ann');
    const report = createDeliveryReporter(
      db,
      messageCopies({
        fetch: async () => {
          await db.inboundDelivery.updateMany({
            where: { queueId: mail.queueId, recipient },
            data: { reportedAt: new Date() },
          });
          return Buffer.from('Subject: x\r\n');
        },
      }),
    );
    await report(reportRun());
    await report(reportRun({ afterMs: 120_000 }));
    expect(await received()).toEqual([at('bo')]);
  });

  it('waits up to 3 seconds for its other recipients', async () => {
    await logged(stored(at('ann')));
    await reportDeliveries(reportRun({ afterMs: 2_900 }));
    expect(await received()).toEqual([]);
    await reportDeliveries(reportRun({ afterMs: 3_100 }));
    expect(await received()).toEqual([at('ann')]);
  });
});

describe('a later delivery', () => {
  it('updates the same message and reports only the new mailbox', async () => {
    await logged(stored(at('ann'), at('info')));
    await reportDeliveries(reportRun());
    await alsoLogged(stored(at('bo'), at('info')), stored(at('ann'), at('sales')), removed);
    await reportDeliveries(reportRun());
    expect(await received()).toEqual([at('ann'), at('bo')]);
    const [message, ...more] = await messages();
    expect(more).toEqual([]);
    expect(message?.toAddresses).toEqual([at('info'), at('sales')]);
    expect(message?.recipients.map(({ address }) => address)).toEqual([at('info'), at('sales')]);
  });

  it('emits mail.received.full again only for a new domain', async () => {
    await makeWebhook({ events: ['mail.received.full'] });
    await logged(stored(at('ann')));
    await reportDeliveries(reportRun());
    await alsoLogged(stored(at('bo')));
    await reportDeliveries(reportRun());
    expect(await mail.emitted('mail.received.full')).toHaveLength(1);
    await makeMailbox(other.id, 'cy');
    await alsoLogged(stored(`cy@${other.name}`), removed);
    await reportDeliveries(reportRun());
    expect(await mail.emitted('mail.received.full')).toHaveLength(1);
    const [full, ...more] = await emittedEvents(other.id, 'mail.received.full');
    expect(more).toEqual([]);
    expect(full?.data).toMatchObject({
      subject: 'Offer',
      body_text: expect.stringMatching(/^Good morning/),
      envelope: { rcpt_to: [`cy@${other.name}`] },
    });
  });
});

it('mail that the log repeats after a gap is reported once, and new deliveries of it still are', async () => {
  const facts = [
    ...accepted('bo@far.example'),
    stored(at('ann'), at('info')),
    delivery('z@far.example', { addressedTo: at('out') }),
  ];
  await mail.logged(...facts, removed);
  await reportDeliveries(reportRun());
  const before = await messages();
  await db.loggedMail.delete({ where: { queueId: mail.queueId } });
  await mail.logged(...facts, removed);
  await reportDeliveries(reportRun());
  expect(await received()).toEqual([at('ann')]);
  expect(await messages()).toEqual(before);
  expect(await db.inboundDelivery.count({ where: { queueId: mail.queueId, reportedAt: null } })).toBe(0);
  await alsoLogged(stored(at('bo'), at('info')));
  await reportDeliveries(reportRun());
  expect(await received()).toEqual([at('ann'), at('bo')]);
});

describe('mail that is only forwarded', () => {
  it('is a message with a trace, without mail.received', async () => {
    await logged(delivery('z@far.example', { addressedTo: at('out') }), removed);
    await reportDeliveries(reportRun());
    expect(await mail.emitted()).toEqual([]);
    const [message] = await messages();
    expect(message?.events).toMatchObject([
      { type: 'forwarded', recipient: at('out'), detail: { forwarded_to: ['z@far.example'] } },
    ]);
  });

  it('to another managed domain is listed under the domain it was addressed to', async () => {
    await makeMailbox(other.id, 'cy');
    await logged(stored(`cy@${other.name}`, at('out')), removed);
    await reportDeliveries(reportRun());
    expect(await received(other.id)).toEqual([`cy@${other.name}`]);
    expect((await messages()).map(({ domainId }) => domainId)).toEqual([mail.domain.id]);
  });
});

describe('mail for a domain that is deleted meanwhile', () => {
  async function deleteDomain() {
    await db.mailbox.deleteMany({ where: { domainId: mail.domain.id } });
    await db.domain.deleteMany({ where: { id: mail.domain.id } });
  }

  it('is dropped without blocking the rest', async () => {
    await logged(stored(at('ann')), stored(`cy@${other.name}`), removed);
    await deleteDomain();
    await reportDeliveries(reportRun());
    expect(await received()).toEqual([]);
    expect(await received(other.id)).toEqual([`cy@${other.name}`]);
    expect(await db.inboundDelivery.count({ where: { queueId: mail.queueId, reportedAt: null } })).toBe(0);
  });

  it('while it is reported is reported for the others', async () => {
    await mail.logged(...accepted('bo@far.example'), stored(at('ann')), stored(`cy@${other.name}`));
    const report = createDeliveryReporter(
      db,
      messageCopies({
        fetch: async () => {
          await deleteDomain();
          return Buffer.from('Subject: x\r\n');
        },
      }),
    );
    await report(reportRun());
    await report(reportRun({ afterMs: 120_000 }));
    expect(await received(other.id)).toEqual([`cy@${other.name}`]);
    expect(await db.inboundDelivery.count({ where: { queueId: mail.queueId, reportedAt: null } })).toBe(0);
  });

  it('is dropped if all its domains are', async () => {
    await logged(stored(at('ann')), removed);
    await deleteDomain();
    await reportDeliveries(reportRun());
    expect(await messages()).toEqual([]);
    expect(await db.inboundDelivery.count({ where: { queueId: mail.queueId, reportedAt: null } })).toBe(0);
  });
});

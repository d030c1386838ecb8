import { beforeEach, describe, expect, it } from 'vitest';
import type { LogFact } from '@/mail/agent/logs/log-line';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import {
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

const RAW = 'From: bo@far.example\r\nSubject: Pills\r\nMessage-ID: <pills@far.example>\r\n\r\nBuy.\r\n';

let domain: { id: string; name: string };
let queueId: string;
const at = (local: string) => `${local}@${domain.name}`;
const tellArrivals = createDeliveryReporter(db, keptCopies());

beforeEach(async () => {
  domain = await makeDomain();
  for (const local of ['ann', 'bo']) await makeMailbox(domain.id, local);
  queueId = newQueueId();
});

function refused(to: string, enhancedCode = '5.7.1'): LogFact[] {
  const [client, named] = accepted('x@far.example');
  return [client, named, { kind: 'rejected', enhancedCode, from: 'x@far.example', to }] as LogFact[];
}

async function spam() {
  const told = await emittedEvents(domain.id, 'mail.spam');
  return told.map(({ data }) => [data.to, data.spam_action, data.spam_score]).toSorted();
}

const untold = () => db.inboundDelivery.count({ where: { queueId, reportedAt: null } });

describe('spam that the filter refused', () => {
  it('is told to each address by what the stream says of it, once, though the log says so too', async () => {
    const recipients = [at('ann'), at('bo'), 'elsewhere@far.example'];
    await readFilter(queueId, { action: 'reject', score: 20, recipients }, RAW);
    await readLines(...lines(queueId, ...refused(at('ann'))));
    await tellArrivals(reportRun());
    await tellArrivals(reportRun());
    expect(await spam()).toEqual([
      [at('ann'), 'reject', 20],
      [at('bo'), 'reject', 20],
    ]);
    expect(await emittedEvents(domain.id, 'mail.received')).toEqual([]);
    expect(await db.message.findMany({ where: { queueId } })).toMatchObject([
      { status: 'spam', subject: 'Pills', messageId: '<pills@far.example>', fromAddress: 'bo@far.example' },
    ]);
    expect(await db.loggedMail.findUnique({ where: { queueId } })).toMatchObject({ raw: null });
  });

  it.each([
    ['the stream', true],
    ['the log alone', false],
  ])('is told once for an address in any letter case, by %s', async (_case, isInStream) => {
    const given = [`Ann@${domain.name.toUpperCase()}`, at('ANN')];
    if (isInStream) await readFilter(queueId, { action: 'reject', score: 20, recipients: given }, RAW);
    await readLines(...lines(queueId, ...refused(given[0] as string)));
    await tellArrivals(reportRun());
    expect((await spam()).map(([to]) => to)).toEqual([at('ann')]);
  });

  it('is told by the filter’s log where its stream says nothing', async () => {
    await readLines(...lines(queueId, ...refused(at('ann'))));
    const logged = { action: 'reject', score: 15, recipients: [at('ann'), at('Bo')] };
    const tell = createDeliveryReporter(db, keptCopies({ findVerdict: async () => logged }));
    await tell(reportRun());
    expect(await spam()).toEqual([
      [at('ann'), 'reject', 15],
      [at('bo'), 'reject', 15],
    ]);
    expect(await untold()).toBe(0);
    await readFilter(queueId, { action: 'reject', score: 15, recipients: [at('ann'), at('bo')] }, RAW);
    await tell(reportRun());
    expect(await spam()).toHaveLength(2);
  });

  it('is told once, though the log tells it again after a gap', async () => {
    for (let time = 1; time <= 2; time++) {
      await readLines(...lines(queueId, ...refused(at('bo'))));
      await tellArrivals(reportRun());
      await db.loggedMail.delete({ where: { queueId } });
    }
    expect(await spam()).toHaveLength(1);
  });

  it('is told to the address that the log names where nothing else says anything', async () => {
    await readLines(...lines(queueId, ...refused(at('bo'))));
    await tellArrivals(reportRun());
    expect(await spam()).toEqual([[at('bo'), 'no action', 0]]);
  });

  it('is tried on while the filter’s log cannot be read, and told without it after 5 minutes', async () => {
    await readLines(...lines(queueId, ...refused(at('ann'))));
    const tell = createDeliveryReporter(db, keptCopies({ findVerdict: () => Promise.reject(new Error('ENOENT')) }));
    await tell(reportRun());
    expect([await spam(), await untold()]).toEqual([[], 1]);
    await tell(reportRun({ afterMs: 5 * 60_000 }));
    expect((await spam()).map(([to]) => to)).toEqual([at('ann')]);
  });

  it.each(['soft reject', 'greylist'])('for now only (%s) is no spam', async (action) => {
    await readFilter(queueId, { action, recipients: [at('ann')] }, RAW);
    await readLines(...lines(queueId, ...refused(at('ann'), '4.7.1')));
    await tellArrivals(reportRun());
    expect(await db.inboundDelivery.count({ where: { queueId } })).toBe(0);
    expect(await emittedEvents(domain.id)).toEqual([]);
  });
});

describe('spam that is marked and delivered', () => {
  beforeEach(async () => {
    await readFilter(queueId, { action: 'add header', score: 9, recipients: [at('all'), at('bo')] }, RAW);
    await readLines(...lines(queueId, ...accepted('x@far.example'), stored(at('ann'), at('all'))));
    await tellArrivals(reportRun());
  });

  it('is both spam and received', async () => {
    expect(await spam()).toEqual([[at('all'), 'add header', 9]]);
    expect((await emittedEvents(domain.id, 'mail.received')).map(({ data }) => data.to)).toEqual([at('ann')]);
    const [message] = await db.message.findMany({
      where: { queueId },
      include: { events: { orderBy: { id: 'asc' } } },
    });
    expect(message).toMatchObject({ status: 'received', spamScore: 9 });
    expect(message?.events.map(({ type }) => type)).toEqual(['spam', 'received']);
  });

  it('is told as spam once for each address, whenever it arrives', async () => {
    await readLines(...lines(queueId, stored(at('bo'), at('all')), stored(at('bo')), { kind: 'removed' }));
    await tellArrivals(reportRun());
    expect((await spam()).map(([to]) => to)).toEqual([at('all'), at('bo')]);
    expect(await emittedEvents(domain.id, 'mail.received')).toHaveLength(2);
    const events = await db.messageEvent.findMany({ where: { message: { queueId }, type: 'spam' } });
    expect(events.map(({ recipient }) => recipient).toSorted()).toEqual([at('all'), at('bo')]);
  });
});

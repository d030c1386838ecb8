import { beforeEach, describe, expect, it } from 'vitest';
import type { LogFact } from '@/mail/log/log-line';
import { db } from '@/test/database';
import { accepted, messageCopies, reportRun, stored } from '@/test/mail/logged-mail';
import { makeOneMessage, type OneMessage } from '@/test/mail/one-message';
import { createDeliveryReporter } from './deliveries';

const RAW = 'From: bo@far.example\r\nSubject: Pills\r\nMessage-ID: <pills@far.example>\r\n\r\nBuy.\r\n';

let mail: OneMessage;
const at = (local: string) => `${local}@${mail.domain.name}`;
const reportDeliveries = createDeliveryReporter(db, messageCopies());

beforeEach(async () => {
  mail = await makeOneMessage('ann', 'bo');
});

function rejected(to: string, enhancedCode = '5.7.1'): LogFact[] {
  const [client, named] = accepted('x@far.example');
  return [client, named, { kind: 'rejected', enhancedCode, from: 'x@far.example', to }] as LogFact[];
}

async function spam() {
  const events = await mail.emitted('mail.spam');
  return events.map(({ data }) => [data.to, data.spam_action, data.spam_score]).toSorted();
}

const unreported = () => db.inboundDelivery.count({ where: { queueId: mail.queueId, reportedAt: null } });

describe('spam that the filter rejected', () => {
  it('is reported once per address from the stream, although the log shows it too', async () => {
    const recipients = [at('ann'), at('bo'), 'elsewhere@far.example'];
    await mail.filtered({ action: 'reject', score: 20, recipients }, RAW);
    await mail.logged(...rejected(at('ann')));
    await reportDeliveries(reportRun());
    await reportDeliveries(reportRun());
    expect(await spam()).toEqual([
      [at('ann'), 'reject', 20],
      [at('bo'), 'reject', 20],
    ]);
    expect(await mail.emitted('mail.received')).toEqual([]);
    expect(await db.message.findMany({ where: { queueId: mail.queueId } })).toMatchObject([
      { status: 'spam', subject: 'Pills', messageId: '<pills@far.example>', fromAddress: 'bo@far.example' },
    ]);
    expect(await db.loggedMail.findUnique({ where: { queueId: mail.queueId } })).toMatchObject({ raw: null });
  });

  it.each([
    ['the stream', true],
    ['the log alone', false],
  ])('is reported once per address regardless of case, from %s', async (_case, isInStream) => {
    const given = [`Ann@${mail.domain.name.toUpperCase()}`, at('ANN')];
    if (isInStream) await mail.filtered({ action: 'reject', score: 20, recipients: given }, RAW);
    await mail.logged(...rejected(given[0] as string));
    await reportDeliveries(reportRun());
    expect((await spam()).map(([to]) => to)).toEqual([at('ann')]);
  });

  it('is reported from the filter’s log if it is missing in the stream', async () => {
    await mail.logged(...rejected(at('ann')));
    const logged = { action: 'reject', score: 15, recipients: [at('ann'), at('Bo')] };
    const report = createDeliveryReporter(db, messageCopies({ findVerdict: async () => logged }));
    await report(reportRun());
    expect(await spam()).toEqual([
      [at('ann'), 'reject', 15],
      [at('bo'), 'reject', 15],
    ]);
    expect(await unreported()).toBe(0);
    await mail.filtered({ action: 'reject', score: 15, recipients: [at('ann'), at('bo')] }, RAW);
    await report(reportRun());
    expect(await spam()).toHaveLength(2);
  });

  it('is reported once, even if the log repeats it after a gap', async () => {
    for (let time = 1; time <= 2; time++) {
      await mail.logged(...rejected(at('bo')));
      await reportDeliveries(reportRun());
      await db.loggedMail.delete({ where: { queueId: mail.queueId } });
    }
    expect(await spam()).toHaveLength(1);
  });

  it('is reported for the address in Postfix’s log if there is no other source', async () => {
    await mail.logged(...rejected(at('bo')));
    await reportDeliveries(reportRun());
    expect(await spam()).toEqual([[at('bo'), 'no action', 0]]);
  });

  it('is retried while the filter’s log cannot be read, and reported without it after 5 minutes', async () => {
    await mail.logged(...rejected(at('ann')));
    const report = createDeliveryReporter(
      db,
      messageCopies({ findVerdict: () => Promise.reject(new Error('ENOENT')) }),
    );
    await report(reportRun());
    expect([await spam(), await unreported()]).toEqual([[], 1]);
    await report(reportRun({ afterMs: 5 * 60_000 }));
    expect((await spam()).map(([to]) => to)).toEqual([at('ann')]);
  });

  it.each(['soft reject', 'greylist'])('that is only deferred (%s) is not spam', async (action) => {
    await mail.filtered({ action, recipients: [at('ann')] }, RAW);
    await mail.logged(...rejected(at('ann'), '4.7.1'));
    await reportDeliveries(reportRun());
    expect(await db.inboundDelivery.count({ where: { queueId: mail.queueId } })).toBe(0);
    expect(await mail.emitted()).toEqual([]);
  });
});

describe('spam that is marked and delivered', () => {
  beforeEach(async () => {
    await mail.filtered({ action: 'add header', score: 9, recipients: [at('all'), at('bo')] }, RAW);
    await mail.logged(...accepted('x@far.example'), stored(at('ann'), at('all')));
    await reportDeliveries(reportRun());
  });

  it('emits both mail.spam and mail.received', async () => {
    expect(await spam()).toEqual([[at('all'), 'add header', 9]]);
    expect((await mail.emitted('mail.received')).map(({ data }) => data.to)).toEqual([at('ann')]);
    const [message] = await db.message.findMany({
      where: { queueId: mail.queueId },
      include: { events: { orderBy: { id: 'asc' } } },
    });
    expect(message).toMatchObject({ status: 'received', spamScore: 9 });
    expect(message?.events.map(({ type }) => type)).toEqual(['spam', 'received']);
  });

  it('emits mail.spam once per address, whenever it is delivered', async () => {
    await mail.logged(stored(at('bo'), at('all')), stored(at('bo')), { kind: 'removed' });
    await reportDeliveries(reportRun());
    expect((await spam()).map(([to]) => to)).toEqual([at('all'), at('bo')]);
    expect(await mail.emitted('mail.received')).toHaveLength(2);
    const events = await db.messageEvent.findMany({ where: { message: { queueId: mail.queueId }, type: 'spam' } });
    expect(events.map(({ recipient }) => recipient).toSorted()).toEqual([at('all'), at('bo')]);
  });
});

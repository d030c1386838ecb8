import { beforeEach, describe, expect, it } from 'vitest';
import type { SubmitOutcome } from '@/mail/submission/submit';
import { db } from '@/test/database';
import { makeDomain, makeScheduled } from '@/test/factories';
import { ANSWERS, AT, currentState, makeMessage, report } from '@/test/mail/reported-message';
import { keyClient } from '@/test/rest';
import { mailServerCalls, recordSubmission } from '../service';

const { onReport } = mailServerCalls(db);
const domain = await makeDomain();
let message: Awaited<ReturnType<typeof makeMessage>>;

function submitted(outcome: SubmitOutcome) {
  const recipients = ['ann@far.example', 'bo@far.example'];
  return recordSubmission({
    message: { ...message, tags: null, metadata: null, template: null, recipients, domainName: domain.name },
    outcome,
    at: AT,
  });
}

describe('if the mail server’s clock is behind', () => {
  const behind = new Date(AT.getTime() - 400);
  const trace = async () => {
    const { data } = await (await keyClient()).get(`/messages/${message.id}`);
    return data.events.map(({ type }: { type: string }) => type);
  };

  beforeEach(async () => {
    message = await makeMessage(domain, 'submitting', ['ann@far.example'], { queueId: null });
  });

  it('results are listed after the queueing', async () => {
    await submitted({ outcome: 'accepted', queueId: 'Q1', response: '250 2.0.0 Ok', refusedRecipients: [] });
    await onReport(report(message, 'delivered', { queueId: 'Q1', at: behind }));
    expect(await trace()).toEqual(['queued', 'delivered']);
  });

  it('the queueing is listed after the uncertain submission', async () => {
    await submitted({ outcome: 'uncertain', reason: 'The connection broke.' });
    await onReport(report(message, 'delivered', { queueId: 'Q1', at: behind }));
    expect(await trace()).toEqual(['uncertain', 'queued', 'delivered']);
  });
});

describe('a report that arrives before the submission reply is stored', () => {
  const accepted: SubmitOutcome = {
    outcome: 'accepted',
    queueId: 'Q1',
    response: '250 2.0.0 Ok: queued as Q1',
    refusedRecipients: [],
  };

  beforeEach(async () => {
    message = await makeMessage(domain, 'submitting', ['ann@far.example', 'bo@far.example'], { queueId: null });
  });

  it('is kept, and mail.sent is emitted once, before it', async () => {
    await onReport(report(message, 'delivered', { queueId: 'Q1' }));
    await submitted(accepted);
    expect(await currentState(message)).toMatchObject({
      status: 'sent',
      queueId: 'Q1',
      recipients: ['delivered', 'sent'],
      trace: ['queued', 'delivered'],
      emitted: ['mail.sent', 'mail.delivered'],
    });
  });

  it('has the same result if both are recorded concurrently', async () => {
    for (let round = 0; round < 20; round += 1) {
      message = await makeMessage(domain, 'submitting', ['ann@far.example', 'bo@far.example'], { queueId: null });
      const kinds = { 'ann@far.example': 'delivered', 'bo@far.example': 'bounced' } as const;
      const reports = Object.entries(kinds).map(([recipient, kind]) =>
        report(message, kind, { recipient, queueId: 'Q1' }),
      );
      await Promise.all([...reports.map(onReport), submitted(accepted), ...reports.map(onReport)]);
      const { emitted, trace, ...rest } = await currentState(message);
      expect(rest).toMatchObject({ status: 'bounced', queueId: 'Q1', recipients: ['delivered', 'bounced'] });
      expect([emitted[0], ...emitted.slice(1).sort()]).toEqual(['mail.sent', 'mail.bounced', 'mail.delivered']);
      expect([...trace].sort()).toEqual(['bounced', 'delivered', 'queued']);
    }
  });

  it('is kept if the submission reply is lost', async () => {
    await onReport(report(message, 'deferred', { queueId: 'Q1' }));
    await submitted({ outcome: 'uncertain', reason: 'The connection broke.' });
    expect(await currentState(message)).toMatchObject({
      status: 'deferred',
      queueId: 'Q1',
      recipients: ['deferred', 'sent'],
    });
  });

  it('still allows a recipient that the mail server rejected', async () => {
    await onReport(report(message, 'delivered', { queueId: 'Q1' }));
    await submitted({ ...accepted, refusedRecipients: [{ address: 'bo@far.example', ...ANSWERS.bounced }] });
    expect(await currentState(message)).toMatchObject({
      status: 'failed',
      recipients: ['delivered', 'failed'],
      trace: ['queued', 'delivered', 'refused'],
      emitted: ['mail.sent', 'mail.delivered', 'mail.failed'],
    });
    const rejected = await db.messageRecipient.findFirst({ where: { messageId: message.id, status: 'failed' } });
    expect(rejected).toMatchObject({ address: 'bo@far.example', cause: 'rejected' });
  });
});

describe('an uncertain message', () => {
  beforeEach(async () => {
    message = await makeMessage(domain, 'uncertain', ['ann@far.example', 'bo@far.example'], { queueId: null });
  });

  it('is settled as sent by the first report, with its queue id', async () => {
    await onReport(report(message, 'delivered', { queueId: 'Q1' }));
    expect(await currentState(message)).toMatchObject({
      status: 'sent',
      queueId: 'Q1',
      recipients: ['delivered', 'sent'],
      trace: ['queued', 'delivered'],
      emitted: ['mail.sent', 'mail.delivered'],
    });
    await onReport(report(message, 'delivered', { queueId: 'Q1', recipient: 'bo@far.example' }));
    expect(await currentState(message)).toMatchObject({
      status: 'delivered',
      emitted: ['mail.sent', 'mail.delivered', 'mail.delivered'],
    });
  });
});

describe('a scheduled message', () => {
  beforeEach(async () => {
    message = await makeMessage(domain, 'scheduled', ['ann@far.example', 'bo@far.example'], { queueId: null });
    await makeScheduled(message.id);
  });

  it('that is held, because its database was put back, has left if the mail server reports about it', async () => {
    await db.message.update({ where: { id: message.id }, data: { sendAt: null } });
    await onReport(report(message, 'delivered', { queueId: 'Q1' }));
    expect(await currentState(message)).toMatchObject({
      status: 'sent',
      queueId: 'Q1',
      recipients: ['delivered', 'sent'],
      trace: ['queued', 'delivered'],
      emitted: ['mail.sent', 'mail.delivered'],
    });
    expect(await db.scheduledMessage.count({ where: { messageId: message.id } })).toBe(0);
  });

  it('that waits is not changed by mail of another sender with its Message-ID', async () => {
    await db.message.update({ where: { id: message.id }, data: { sendAt: new Date('2100-01-01') } });
    await onReport(report(message, 'delivered', { queueId: 'Q1' }));
    expect(await currentState(message)).toMatchObject({ status: 'scheduled', recipients: ['scheduled', 'scheduled'] });
    expect(await db.scheduledMessage.count({ where: { messageId: message.id } })).toBe(1);
  });
});

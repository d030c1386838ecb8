import { execFileSync } from 'node:child_process';
import { beforeEach, describe, expect, it } from 'vitest';
import { whileAgentStopped } from '../support/agent';
import { activateKey } from '../support/dkim-keys';
import { db, mailServer } from '../support/mail-server';
import { messageText, openSubmission } from '../support/smtp-session';
import {
  at,
  deferredAddresses,
  domain,
  LONG_REPLY,
  remoteAddress,
  sendTo,
  submit,
  traceMail,
  traceOf,
  typesOf,
  waitForEvents,
  webhookEvents,
} from '../support/traced-mail';

await traceMail();

describe('mail sent by the app', () => {
  beforeEach(() => activateKey(domain.name, 'first'));

  it('is traced from the API call to each reply of the receiving server, with documented events', async () => {
    const deferred = remoteAddress();
    deferredAddresses.add(deferred);
    const accepted = remoteAddress();
    const sent = await sendTo([accepted, 'nobody@far.example', deferred], 'Three answers');
    expect(sent.error ?? null).toBeNull();
    const messageId = sent.data.message_id;
    const [delivered] = await waitForEvents('mail.delivered', 1);
    const bounces = await waitForEvents('mail.bounced', 2);

    const common = { message_id: messageId, from: at('app'), subject: 'Three answers', domain: domain.name };
    expect(delivered?.data).toMatchObject({
      ...common,
      recipient: accepted,
      queue_id: expect.stringMatching(/^\w{10,}$/),
      remote_mta: '127.0.0.1',
      smtp_code: 250,
      smtp_response: expect.stringMatching(/^250 2\.0\.0 Ok: queued as TEST/),
      delay_seconds: expect.any(Number),
    });
    const bounceOf = (recipient: string) => bounces.find(({ data }) => data.recipient === recipient)?.data;
    expect(bounceOf('nobody@far.example')).toMatchObject({
      ...common,
      will_retry: false,
      bounce: {
        type: 'permanent',
        category: 'invalid_recipient',
        smtp_code: 550,
        enhanced_code: '5.1.1',
        diagnostic: '550 5.1.1 No such user here',
        remote_mta: '127.0.0.1',
      },
    });
    expect(await db.suppression.findMany({ where: { domainId: domain.id } })).toMatchObject([
      { email: 'nobody@far.example', reason: 'bounce', detail: '550 5.1.1 No such user here' },
    ]);
    expect(bounceOf(deferred)).toMatchObject({ will_retry: true, bounce: { type: 'temporary', smtp_code: 451 } });

    const trace = await traceOf({ messageId });
    expect(trace).toMatchObject({ status: 'deferred', direction: 'outbound' });
    expect(typesOf(trace).slice(0, 2)).toEqual(['accepted', 'queued']);
    expect(typesOf(trace).slice(2).toSorted()).toEqual(['bounced', 'deferred', 'delivered']);
    expect(await webhookEvents('mail.sent')).toHaveLength(1);
  });

  it('makes one event for any number of deferrals, and one when it is delivered', async () => {
    const deferred = remoteAddress();
    deferredAddresses.add(deferred);
    const { data } = await sendTo([deferred]);
    await waitForEvents('mail.bounced', 1);
    const { queue_id: queueId } = await traceOf({ messageId: data.message_id });
    const postqueue = (...args: string[]) =>
      execFileSync('postqueue', ['-c', `${mailServer.config}/postfix`, ...args], { encoding: 'utf8' });
    // Postfix doesn't retry a message that is still active, even if its log already has the deferral.
    const retry = async () => {
      const queued = () =>
        postqueue('-j')
          .split('\n')
          .find((line) => line.includes(queueId));
      await expect.poll(queued, { timeout: 20_000 }).toContain('"queue_name": "deferred"');
      postqueue('-i', queueId);
    };
    await retry();
    const deferrals = () => mailLog().filter((line) => line.includes(queueId) && line.includes('=deferred')).length;
    await expect.poll(deferrals, { timeout: 20_000 }).toBe(2);
    deferredAddresses.delete(deferred);
    await retry();
    await waitForEvents('mail.delivered', 1);
    expect(await webhookEvents('mail.bounced')).toHaveLength(1);
    expect((await traceOf({ messageId: data.message_id })).status).toBe('delivered');
  });

  it('fails if an admin deletes it from the queue', async () => {
    const deferred = remoteAddress();
    deferredAddresses.add(deferred);
    const { data } = await sendTo([deferred]);
    await waitForEvents('mail.bounced', 1);
    const { queue_id: queueId } = await traceOf({ messageId: data.message_id });
    const postsuper = (flag: string) =>
      execFileSync('postsuper', ['-c', `${mailServer.config}/postfix`, flag, queueId], { stdio: 'ignore' });
    postsuper('-h');
    postsuper('-H');
    postsuper('-d');
    const [failed] = await waitForEvents('mail.failed', 1);
    expect(failed?.data).toMatchObject({ recipient: deferred, error: expect.stringMatching(/deleted/) });
    expect(typesOf(await traceOf({ messageId: data.message_id }))).toEqual([
      'accepted',
      'queued',
      'deferred',
      'held',
      'released',
      'failed',
    ]);
  });

  it('fails at the end of the queue lifetime', async () => {
    const deferred = remoteAddress();
    deferredAddresses.add(deferred);
    const { data } = await sendTo([deferred]);
    await waitForEvents('mail.bounced', 1);
    const { queue_id: queueId } = await traceOf({ messageId: data.message_id });
    execFileSync('postsuper', ['-c', `${mailServer.config}/postfix`, '-e', queueId], { stdio: 'ignore' });
    execFileSync('postqueue', ['-c', `${mailServer.config}/postfix`, '-i', queueId]);
    const [failed] = await waitForEvents('mail.failed', 1);
    expect(failed?.data).toMatchObject({
      recipient: deferred,
      queue_id: queueId,
      reason: 'expired',
      error: expect.stringContaining('451 4.3.0 Later please'),
    });
    expect((await traceOf({ messageId: data.message_id })).status).toBe('failed');
  });

  it('bounces with the start of a reply that is longer than a log line', async () => {
    const { data } = await sendTo(['verbose@far.example']);
    await waitForEvents('mail.bounced', 1);
    const [{ status, cause, response }] = (await traceOf({ messageId: data.message_id })).recipients;
    expect({ status, cause }).toEqual({ status: 'bounced', cause: 'remote_reply' });
    expect(response.length).toBeGreaterThan(900);
    expect(LONG_REPLY).toContain(response);
  });

  it('to a local mailbox is delivered and received', async () => {
    await sendTo([at('ann')], 'To a local mailbox');
    const [received] = await waitForEvents('mail.received', 1);
    expect(received?.data).toMatchObject({ from: at('app'), to: at('ann'), subject: 'To a local mailbox' });
    const [delivered] = await waitForEvents('mail.delivered', 1);
    expect(delivered?.data).toMatchObject({ recipient: at('ann'), remote_mta: 'mail.example.test' });
  });

  it('without a reply is settled from the log', async () => {
    const to = remoteAddress();
    const { data } = await sendTo([to]);
    await waitForEvents('mail.delivered', 1);
    const { id, queue_id: queueId } = await traceOf({ messageId: data.message_id });
    // The state after a connection lost at the end of the data.
    await db.event.deleteMany({ where: { domainId: domain.id } });
    await db.messageEvent.deleteMany({ where: { messageId: id, type: { not: 'accepted' } } });
    await db.message.update({ where: { id }, data: { status: 'uncertain', queueId: null } });
    await db.messageRecipient.updateMany({ where: { messageId: id }, data: { status: 'uncertain' } });
    await waitForEvents('mail.sent', 1);
    expect(await traceOf({ messageId: data.message_id })).toMatchObject({ status: 'sent', queue_id: queueId });
  });
});

describe('mail submitted by SMTP', () => {
  beforeEach(() => activateKey(domain.name, 'first'));

  it('has a trace and events like mail from the API', async () => {
    const [accepted, other] = [remoteAddress(), 'nobody@far.example'];
    expect(await submit([accepted, other], 'Grüße')).toMatch(/^250 /);
    await waitForEvents('mail.delivered', 1);
    await waitForEvents('mail.bounced', 1);
    const [sent] = await webhookEvents('mail.sent');
    expect(sent?.data).toMatchObject({ from: at('ann'), to: [accepted, other], domain: domain.name });
    const trace = await traceOf({ direction: 'outbound' });
    expect(trace).toMatchObject({ status: 'bounced', from: at('ann'), to: [accepted, other] });
    expect(typesOf(trace).toSorted()).toEqual(['bounced', 'delivered', 'queued']);
    expect(trace.events[0]).toMatchObject({ type: 'queued', detail: { by: at('ann') } });
  });

  it('counts against the hourly limit, which suspends the mailbox when exceeded', async () => {
    await db.abuseThreshold.update({ where: { id: 1 }, data: { mailboxHourly: 2 } });
    try {
      for (const _ of [1, 2]) expect(await submit([remoteAddress()])).toMatch(/^250 /);
      expect(await submit([remoteAddress()])).toMatch(/^450 4\.7\.1 .*the hourly limit is 2\..*suspended/);
      const { suspendedAt } = await db.mailbox.findFirstOrThrow({ where: { domainId: domain.id, localPart: 'ann' } });
      expect(suspendedAt).not.toBeNull();
      const alerts = await db.alert.findMany({ where: { domainId: domain.id } });
      expect(alerts).toMatchObject([{ kind: 'mailbox_suspended', subject: at('ann'), count: 2 }]);
    } finally {
      await db.abuseThreshold.update({ where: { id: 1 }, data: { mailboxHourly: 200 } });
    }
  });

  it('is deferred while the agent is stopped, unlike mail of the app', async () => {
    await whileAgentStopped(async () => {
      expect(await submit([remoteAddress()])).toMatch(/^45\d 4\.3\.0 .*temporarily unavailable/);
      const app = await openSubmission('postroom', String(mailServer.settings.APP_PASSWORD));
      const text = messageText({ from: at('app'), to: 'x@far.example', subject: 'x' });
      expect(await app.send(at('app'), ['x@far.example'], text)).toMatch(/^250 /);
    });
    await expect.poll(() => submit([remoteAddress()]), { timeout: 20_000 }).toMatch(/^250 /);
  });
});

function mailLog(): string[] {
  const log = `${mailServer.data}/log/postfix`;
  return execFileSync('sh', ['-c', `cat ${log}/mail.log*`], { encoding: 'utf8', maxBuffer: 2 ** 28 }).split('\n');
}

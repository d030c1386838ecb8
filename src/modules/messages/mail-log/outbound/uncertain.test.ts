import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { accepted, delivery, emittedEvents, LOG, newQueueId, readLines } from '@/test/mail/logged-mail';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { settleUncertain } from './uncertain';

const mta = await startScriptedMta();

afterAll(() => mta.server.close());

const MINUTE_MS = 60_000;
const api = await keyClient();
let domain: { id: string; name: string };
let queueId: string;
let message: { id: string; messageId: string; createdAt: Date };
const at = (local: string) => `${local}@${domain.name}`;
const KEY = 'the-same-call';

beforeEach(async () => {
  domain = await makeDomain();
  queueId = newQueueId();
  await db.mailCursor.deleteMany();
  await db.loggedMail.deleteMany();
  mta.state.script = (point) => (point === 'DOT' ? 'drop' : undefined);
  expectError(await send(), 500, 'SEND_FAILED');
  message = await db.message.findFirstOrThrow({ where: { domainId: domain.id, status: 'uncertain' } });
  mta.state.script = () => undefined;
});

function bodyOf(over: object) {
  const to = [{ email: 'x@far.example' }, { email: 'y@far.example' }];
  return { from: { email: at('shop') }, to, subject: 'Hello', text_body: 'Hi', ...over };
}

function send(over: object = {}) {
  return api.call('POST', '/send', { body: bodyOf(over), headers: { 'idempotency-key': `${KEY}-${domain.name}` } });
}

const settle = (minutes: number) =>
  settleUncertain(db, LOG, new Date(message.createdAt.getTime() + minutes * MINUTE_MS));

/** The log has been read completely since some time before the message. */
async function logCompleteSince(minutesBefore: number) {
  const completeSince = new Date(message.createdAt.getTime() - minutesBefore * MINUTE_MS);
  await db.mailCursor.create({ data: { source: LOG, file: '1', position: '0', completeSince } });
}

async function appSent(minutesLater: number, messageId: string | null = '<other@d.example>', login = 'postroom') {
  const seenAt = new Date(message.createdAt.getTime() + minutesLater * MINUTE_MS);
  await db.loggedMail.create({ data: { queueId: newQueueId(), login, messageId, mailFrom: at('shop'), seenAt } });
}

async function currentState() {
  const row = await db.message.findUniqueOrThrow({ where: { id: message.id }, include: { recipients: true } });
  const emitted = (await emittedEvents(domain.id)).map(({ event }) => event);
  const counted = await db.countedSend.count({ where: { id: message.id } });
  return { status: row.status, recipients: row.recipients.map(({ status }) => status), emitted, counted };
}

const UNSETTLED = { status: 'uncertain', recipients: ['uncertain', 'uncertain'], emitted: [], counted: 1 };

describe('a message without a submission reply', () => {
  it('was accepted if the log shows it in the queue', async () => {
    const facts = accepted(at('shop'), { login: 'postroom', messageId: message.messageId });
    await readLines(...facts.map((fact) => ({ at: message.createdAt, queueId, ...fact })));
    await settle(0);
    await settle(10);
    expect(await currentState()).toEqual({
      status: 'sent',
      recipients: ['sent', 'sent'],
      emitted: ['mail.sent'],
      counted: 1,
    });
    expect(await db.message.findUnique({ where: { id: message.id } })).toMatchObject({ queueId });
    expect((await send()).data).toEqual({ id: message.id, message_id: message.messageId });
  });

  it('was accepted if the log shows its deliveries', async () => {
    const facts = [
      ...accepted(at('shop'), { login: 'postroom', messageId: message.messageId }),
      delivery('x@far.example'),
      delivery('y@far.example', { status: 'bounced' }),
    ];
    await readLines(...facts.map((fact) => ({ at: message.createdAt, queueId, ...fact })));
    await settle(10);
    expect(await currentState()).toMatchObject({
      status: 'bounced',
      emitted: ['mail.sent', 'mail.delivered', 'mail.bounced'],
      counted: 1,
    });
  });

  it.each([
    ['expires', 'expired', ['queued', 'failed', 'failed']],
    ['is deleted', 'deleted', ['queued', 'failed', 'failed']],
    ['is held', 'held', ['queued', 'held']],
  ] as const)('was accepted if the log first shows that it %s in the queue', async (_case, kind, trace) => {
    const facts = [...accepted(at('shop'), { login: 'postroom', messageId: message.messageId }), { kind }];
    await readLines(...facts.map((fact) => ({ at: message.createdAt, queueId, ...fact })));
    await settle(10);
    const failed = trace.slice(1).filter((type) => type === 'failed');
    expect((await currentState()).emitted).toEqual(['mail.sent', ...failed.map(() => 'mail.failed')]);
    const events = await db.messageEvent.findMany({ where: { messageId: message.id }, orderBy: { id: 'asc' } });
    expect(events.map(({ type }) => type).slice(-trace.length)).toEqual(trace);
  });

  it('failed if it is missing in the log: it can be resent and does not count toward the limits', async () => {
    await logCompleteSince(60);
    await appSent(-3);
    await settle(6);
    await settle(7);
    expect(await currentState()).toEqual({
      status: 'failed',
      recipients: ['failed', 'failed'],
      emitted: ['mail.failed', 'mail.failed'],
      counted: 0,
    });
    const sent = await send();
    expect(sent.status).toBe(200);
    expect(sent.data.message_id).not.toBe(message.messageId);
  });

  it('failed if it is missing in the log: its key is free for one call at a time, with any body', async () => {
    await logCompleteSince(60);
    await appSent(-3);
    await settle(6);
    const held = new Promise<void>((resolve) => {
      mta.state.script = (point) => {
        if (point !== 'DATA') return undefined;
        resolve();
        return 'hang';
      };
    });
    const repeated = send();
    await held;
    expectError(await send(), 409, 'IDEMPOTENCY_CONFLICT');
    mta.state.script = () => undefined;
    mta.server.dropAll();
    expectError(await repeated, 500, 'SEND_FAILED');
    expect((await send({ subject: 'Other' })).status).toBe(200);
  });

  it('of a batch failed if it is missing in the log: the repeated batch no longer says that it may have been sent', async () => {
    const messages = ['one', 'other'].map((subject) => bodyOf({ subject }));
    const headers = { 'idempotency-key': `batch-${domain.name}` };
    const sendBatch = () => api.call('POST', '/send/batch', { body: { messages }, headers });
    mta.state.script = (point) => (point === 'DOT' ? 'drop' : undefined);
    const { data: first } = await sendBatch();
    mta.state.script = () => undefined;
    const unconfirmed = { code: 'SEND_FAILED', error: expect.stringContaining('may have been sent') };
    expect(first.results).toMatchObject([unconfirmed, unconfirmed]);
    expect((await sendBatch()).data).toEqual(first);
    await logCompleteSince(60);
    await appSent(-3);
    await settle(6);
    const failed = { code: 'SEND_FAILED', error: 'The mail server did not accept the message.' };
    for (const _ of [1, 2]) expect((await sendBatch()).data.results).toMatchObject([failed, failed]);
  });

  it('was not accepted if the spam filter deferred it', async () => {
    await logCompleteSince(60);
    const [client, named] = accepted(at('shop'), { login: 'postroom', messageId: message.messageId });
    const rejected = { kind: 'rejected', enhancedCode: '4.7.1', from: at('shop'), to: 'x@far.example' } as const;
    const facts = [client, named, rejected] as ReturnType<typeof accepted>;
    await readLines(...facts.map((fact) => ({ at: message.createdAt, queueId, ...fact })));
    await settle(0);
    expect(await currentState()).toEqual(UNSETTLED);
    await settle(6);
    expect(await currentState()).toMatchObject({ status: 'failed' });
  });

  it.each([
    ['five minutes have not passed', 60, -3, 4, 'postroom'],
    ['the log was read only from a later time', -1, 0, 60, 'postroom'],
    ['the app did not use this mail server at that time', 60, -11, 60, 'postroom'],
    ['only mailboxes used this mail server', 60, 0, 60, 'ann@d.example'],
  ])('stays uncertain if %s', async (_case, begunBefore, sentLater, afterMinutes, login) => {
    await logCompleteSince(begunBefore);
    await appSent(sentLater, '<other@d.example>', login);
    await settle(afterMinutes);
    expect(await currentState()).toEqual(UNSETTLED);
  });

  it('stays uncertain if only another log is read', async () => {
    await db.mailCursor.create({ data: { source: 'other log', file: '1', position: '0', completeSince: new Date(0) } });
    await appSent(0);
    await settle(60);
    expect(await currentState()).toEqual(UNSETTLED);
  });

  it('is not confused with other mail that copies its Message-ID', async () => {
    await appSent(0, message.messageId, at('ann'));
    await db.loggedMail.create({
      data: { queueId, messageId: message.messageId, mailFrom: 'x@far.example', seenAt: message.createdAt },
    });
    await settle(60);
    expect(await currentState()).toEqual(UNSETTLED);
  });
});

import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { delivery, LOG, newQueueId, readLines, accepted, emittedEvents } from '@/test/mail/logged-mail';
import { expectError, keyClient } from '@/test/rest';
import { settleUncertain } from './uncertain';

const mta = await vi.hoisted(async () => (await import('../../../../test/servers/scripted-mta')).startScriptedMta());

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

function send() {
  const to = [{ email: 'x@far.example' }, { email: 'y@far.example' }];
  const body = { from: { email: at('shop') }, to, subject: 'Hello', text_body: 'Hi' };
  return api.call('POST', '/send', { body, headers: { 'idempotency-key': `${KEY}-${domain.name}` } });
}

const settle = (minutes: number) =>
  settleUncertain(db, LOG, new Date(message.createdAt.getTime() + minutes * MINUTE_MS));

/** A log that is read since some time before the message. */
async function logBegins(minutesBefore: number) {
  const completeSince = new Date(message.createdAt.getTime() - minutesBefore * MINUTE_MS);
  await db.mailCursor.create({ data: { source: LOG, file: '1', position: '0', completeSince } });
}

async function appSends(minutesLater: number, messageId: string | null = '<other@d.example>', login = 'postroom') {
  const seenAt = new Date(message.createdAt.getTime() + minutesLater * MINUTE_MS);
  await db.loggedMail.create({ data: { queueId: newQueueId(), login, messageId, mailFrom: at('shop'), seenAt } });
}

async function isNow() {
  const row = await db.message.findUniqueOrThrow({ where: { id: message.id }, include: { recipients: true } });
  const told = (await emittedEvents(domain.id)).map(({ event }) => event);
  const counted = await db.countedSend.count({ where: { id: message.id } });
  return { status: row.status, recipients: row.recipients.map(({ status }) => status), told, counted };
}

const UNSETTLED = { status: 'uncertain', recipients: ['uncertain', 'uncertain'], told: [], counted: 1 };

describe('a message without an answer', () => {
  it('that the log has seen in the queue was accepted', async () => {
    const facts = accepted(at('shop'), { login: 'postroom', messageId: message.messageId });
    await readLines(...facts.map((fact) => ({ at: message.createdAt, queueId, ...fact })));
    await settle(0);
    await settle(10);
    expect(await isNow()).toEqual({ status: 'sent', recipients: ['sent', 'sent'], told: ['mail.sent'], counted: 1 });
    expect(await db.message.findUnique({ where: { id: message.id } })).toMatchObject({ queueId });
    expect((await send()).data).toEqual({ message_id: message.messageId });
  });

  it('whose deliveries the log tells was accepted', async () => {
    const facts = [
      ...accepted(at('shop'), { login: 'postroom', messageId: message.messageId }),
      delivery('x@far.example'),
      delivery('y@far.example', { status: 'bounced' }),
    ];
    await readLines(...facts.map((fact) => ({ at: message.createdAt, queueId, ...fact })));
    await settle(10);
    expect(await isNow()).toMatchObject({
      status: 'bounced',
      told: ['mail.sent', 'mail.delivered', 'mail.bounced'],
      counted: 1,
    });
  });

  it.each([
    ['expires', 'expired', ['queued', 'failed', 'failed']],
    ['is deleted', 'deleted', ['queued', 'failed', 'failed']],
    ['is held', 'held', ['queued', 'held']],
  ] as const)('that %s in the queue before anything else is known of it was accepted', async (_case, kind, trace) => {
    const facts = [...accepted(at('shop'), { login: 'postroom', messageId: message.messageId }), { kind }];
    await readLines(...facts.map((fact) => ({ at: message.createdAt, queueId, ...fact })));
    await settle(10);
    const failed = trace.slice(1).filter((type) => type === 'failed');
    expect((await isNow()).told).toEqual(['mail.sent', ...failed.map(() => 'mail.failed')]);
    const events = await db.messageEvent.findMany({ where: { messageId: message.id }, orderBy: { id: 'asc' } });
    expect(events.map(({ type }) => type).slice(-trace.length)).toEqual(trace);
  });

  it('that the log should have seen failed: it may be sent anew, and does not count', async () => {
    await logBegins(60);
    await appSends(-3);
    await settle(6);
    await settle(7);
    expect(await isNow()).toEqual({
      status: 'failed',
      recipients: ['failed', 'failed'],
      told: ['mail.failed', 'mail.failed'],
      counted: 0,
    });
    const sent = await send();
    expect(sent.status).toBe(200);
    expect(sent.data.message_id).not.toBe(message.messageId);
  });

  it('that the mail server’s filter put off was not accepted', async () => {
    await logBegins(60);
    const [client, named] = accepted(at('shop'), { login: 'postroom', messageId: message.messageId });
    const rejected = { kind: 'rejected', enhancedCode: '4.7.1', from: at('shop'), to: 'x@far.example' } as const;
    const facts = [client, named, rejected] as ReturnType<typeof accepted>;
    await readLines(...facts.map((fact) => ({ at: message.createdAt, queueId, ...fact })));
    await settle(0);
    expect(await isNow()).toEqual(UNSETTLED);
    await settle(6);
    expect(await isNow()).toMatchObject({ status: 'failed' });
  });

  it.each([
    ['five minutes have not passed', 60, -3, 4, 'postroom'],
    ['the log is read since later only', -1, 0, 60, 'postroom'],
    ['the app sent nothing by this mail server at that time', 60, -11, 60, 'postroom'],
    ['only others sent by this mail server', 60, 0, 60, 'ann@d.example'],
  ])('stays uncertain where %s', async (_case, begunBefore, sentLater, afterMinutes, login) => {
    await logBegins(begunBefore);
    await appSends(sentLater, '<other@d.example>', login);
    await settle(afterMinutes);
    expect(await isNow()).toEqual(UNSETTLED);
  });

  it('stays uncertain where another log is read', async () => {
    await db.mailCursor.create({ data: { source: 'other log', file: '1', position: '0', completeSince: new Date(0) } });
    await appSends(0);
    await settle(60);
    expect(await isNow()).toEqual(UNSETTLED);
  });

  it('is not taken for the mail of a mailbox, or from outside, that copies its Message-ID', async () => {
    await appSends(0, message.messageId, at('ann'));
    await db.loggedMail.create({
      data: { queueId, messageId: message.messageId, mailFrom: 'x@far.example', seenAt: message.createdAt },
    });
    await settle(60);
    expect(await isNow()).toEqual(UNSETTLED);
  });
});

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '@/server/clock';
import { createContext } from '@/server/procedures/context';
import { manualClock } from '@/test/clock';
import { db } from '@/test/database';
import { makeDomain, makeMailbox } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { rejectOverLimit } from './service';

const mta = await startScriptedMta();

afterAll(() => mta.server.close());

const api = await keyClient({ role: 'super_admin' });

beforeEach(async () => {
  mta.state.script = () => undefined;
  await limitTo({ mailbox_hourly: 200, domain_hourly: 1000 });
});

async function limitTo(thresholds: object) {
  expect((await api.patch('/abuse/thresholds', thresholds)).status).toBe(200);
}

function message(from: string) {
  return { from: { email: from }, to: [{ email: 'ann@far.example' }], subject: 'Hello', text_body: 'Hi' };
}

function send(from: string, clock?: Clock) {
  return api.call('POST', '/send', { body: message(from), clock });
}

async function race(count: number, from: (index: number) => string) {
  const answers = await Promise.all(Array.from({ length: count }, (_, index) => send(from(index))));
  const codes = answers.map(({ status, error }): string => (status === 200 ? 'sent' : error.code));
  return { answers, sent: codes.filter((code) => code === 'sent').length, codes: new Set(codes) };
}

async function makeSender(localPart = 'shop') {
  const domain = await makeDomain();
  const mailbox = await makeMailbox(domain.id, localPart);
  return { domain, mailbox, address: `${localPart}@${domain.name}` };
}

const stored = (id: string) => db.mailbox.findUniqueOrThrow({ where: { id } });
const alertsOf = (domainId: string) => db.alert.findMany({ where: { domainId } });
const suspensionsOf = (id: string) =>
  db.auditEntry.findMany({ where: { resource: `mailbox:${id}`, action: 'mailbox.suspend' } });

describe('the limit of a mailbox', () => {
  it('accepts exactly the limit out of 50 concurrent messages, and suspends once with one audit entry and one alert', async () => {
    const { domain, mailbox, address } = await makeSender();
    await limitTo({ mailbox_hourly: 10 });
    const { sent, codes } = await race(50, () => address);
    expect(sent).toBe(10);
    expect([...codes].filter((code) => !['sent', 'RATE_LIMIT_EXCEEDED', 'MAILBOX_SUSPENDED'].includes(code))).toEqual(
      [],
    );
    expect(codes).toContain('RATE_LIMIT_EXCEEDED');
    expect(await db.message.count({ where: { domainId: domain.id } })).toBe(10);

    const note = 'Tried to send more than 10 messages in an hour.';
    expect(await stored(mailbox.id)).toMatchObject({
      suspendedAt: expect.any(Date),
      suspensionReason: 'rate_limit',
      suspensionNote: note,
    });
    expect(await suspensionsOf(mailbox.id)).toMatchObject([
      {
        adminId: null,
        domainId: domain.id,
        outcome: 'success',
        details: {
          before: { suspended: false },
          after: { suspended: true, suspension_reason: 'rate_limit', suspension_note: note },
          count: 10,
          limit: 10,
          window_seconds: 3600,
        },
      },
    ]);
    expect(await alertsOf(domain.id)).toMatchObject([
      { kind: 'mailbox_suspended', status: 'open', subject: address, mailboxId: mailbox.id, count: 10, expected: 10 },
    ]);
    expectError(await send(address), 403, 'MAILBOX_SUSPENDED');
  });

  it('is reported with count, window, limit and Retry-After', async () => {
    const clock = manualClock('2026-11-21T10:00:00Z');
    const { address } = await makeSender();
    await limitTo({ mailbox_hourly: 2 });
    await send(address, clock);
    clock.advance(60);
    await send(address, clock);
    const answer = expectError(await send(address, clock), 429, 'RATE_LIMIT_EXCEEDED');
    expect(answer.error.message).toBe(
      `${address} has sent 2 messages in the last hour; the hourly limit is 2. The mailbox is suspended until an admin unsuspends it.`,
    );
    expect(answer.error.details).toEqual({ count: 2, limit: 2, window_seconds: 3600 });
    expect(answer.headers.get('retry-after')).toBe('3540');
  });

  it('applies separately to concurrent messages of two domains', async () => {
    const [one, two] = await Promise.all([makeSender(), makeSender()]);
    await limitTo({ mailbox_hourly: 10 });
    const { answers } = await race(50, (index) => (index % 5 === 0 ? two : one).address);
    const sentBy = (isTwo: boolean) =>
      answers.filter(({ status }, index) => status === 200 && (index % 5 === 0) === isTwo).length;
    expect([sentBy(false), sentBy(true)]).toEqual([10, 10]);
    expect((await stored(one.mailbox.id)).suspendedAt).not.toBeNull();
    expect((await stored(two.mailbox.id)).suspendedAt).toBeNull();
    expect(await alertsOf(two.domain.id)).toEqual([]);
  });

  it('counts each message of a batch', async () => {
    const { mailbox, address } = await makeSender();
    await limitTo({ mailbox_hourly: 30 });
    const { data } = await api.post('/send/batch', { messages: Array.from({ length: 100 }, () => message(address)) });
    expect(data).toMatchObject({ total: 100, succeeded: 30, failed: 70 });
    const codes = new Set(data.results.map((result: { code?: string }) => result.code));
    codes.delete(undefined);
    expect([...codes].toSorted()).toEqual(['MAILBOX_SUSPENDED', 'RATE_LIMIT_EXCEEDED']);
    expect(await suspensionsOf(mailbox.id)).toHaveLength(1);
  });

  it('starts over when the mailbox is unsuspended, for that mailbox only', async () => {
    const { domain, mailbox, address } = await makeSender();
    await limitTo({ mailbox_hourly: 3 });
    await db.domain.update({ where: { id: domain.id }, data: { hourlySendLimit: 5 } });
    expect((await race(4, () => address)).sent).toBe(3);
    expect((await api.post(`/mailboxes/${mailbox.id}/unsuspend`)).status).toBe(200);
    expect((await race(2, () => address)).sent).toBe(2);
    const answer = expectError(await send(address), 429, 'RATE_LIMIT_EXCEEDED');
    expect(answer.error.message).toContain(`${domain.name} has sent 5 messages`);
    expect((await stored(mailbox.id)).suspendedAt).toBeNull();

    await db.domain.update({ where: { id: domain.id }, data: { hourlySendLimit: 100 } });
    expect((await race(5, () => address)).sent).toBe(1);
    expect(await suspensionsOf(mailbox.id)).toHaveLength(2);
    expect((await alertsOf(domain.id)).filter(({ kind }) => kind === 'mailbox_suspended')).toHaveLength(2);
  });

  it('does not suspend for a count from before the mailbox was unsuspended', async () => {
    const { domain, mailbox, address } = await makeSender();
    await db.mailbox.update({ where: { id: mailbox.id }, data: { rateCountedFrom: new Date() } });
    const error = await rejectOverLimit(createContext(new Request('http://localhost:3000')), {
      domain,
      address,
      counting: {
        result: 'address_limit',
        mailboxId: mailbox.id,
        countedFrom: null,
        sent: 200,
        allowed: 200,
        freeAt: null,
      },
    });
    expect(error).toMatchObject({ apiCode: 'RATE_LIMIT_EXCEEDED', message: expect.not.stringContaining('suspended') });
    expect((await stored(mailbox.id)).suspendedAt).toBeNull();
    expect([await suspensionsOf(mailbox.id), await alertsOf(domain.id)]).toEqual([[], []]);
  });

  it('rejects a message of a mailbox suspended after it was looked up', async () => {
    const { domain, mailbox, address } = await makeSender();
    await db.mailbox.update({ where: { id: mailbox.id }, data: { suspendedAt: new Date() } });
    const counted =
      await db.$queryRaw`SELECT result FROM count_sends(ARRAY[${mailbox.id}::uuid], ARRAY[now()], ${address}, ${domain.id}::uuid)`;
    expect(counted).toEqual([{ result: 'suspended' }]);
    expect(await db.countedSend.count({ where: { address } })).toBe(0);
  });
});

describe('an address without a mailbox', () => {
  it('is rejected over the limit in any letter case, without suspension and with one alert per day', async () => {
    const clock = manualClock('2026-11-21T10:00:00Z');
    const domain = await makeDomain();
    await limitTo({ mailbox_hourly: 3 });
    for (const name of ['news', 'News', 'NEWS']) expect((await send(`${name}@${domain.name}`, clock)).status).toBe(200);
    for (let i = 0; i < 3; i++) {
      const answer = expectError(await send(`news@${domain.name}`, clock), 429, 'RATE_LIMIT_EXCEEDED');
      expect(answer.error.message).not.toContain('suspended');
    }
    expect((await send(`other@${domain.name}`, clock)).status).toBe(200);
    expect(await alertsOf(domain.id)).toMatchObject([
      { kind: 'rate_limited', subject: `news@${domain.name}`, mailboxId: null, count: 3, expected: 3 },
    ]);
  });

  it('can send again one by one as its messages leave the hour', async () => {
    const clock = manualClock('2026-11-21T10:00:00Z');
    const address = `news@${(await makeDomain()).name}`;
    await limitTo({ mailbox_hourly: 3 });
    for (let i = 0; i < 3; i++) {
      expect((await send(address, clock)).status).toBe(200);
      clock.advance(1200);
    }
    clock.advance(-1);
    const answer = expectError(await send(address, clock), 429, 'RATE_LIMIT_EXCEEDED');
    expect(answer.headers.get('retry-after')).toBe('1');
    clock.advance(1);
    expect((await send(address, clock)).status).toBe(200);
    expect(expectError(await send(address, clock), 429, 'RATE_LIMIT_EXCEEDED').headers.get('retry-after')).toBe('1200');
  });
});

describe('the limit of a domain', () => {
  it('applies to all its addresses together and suspends no mailbox', async () => {
    const { domain, mailbox, address } = await makeSender();
    await limitTo({ domain_hourly: 12 });
    const { sent, codes } = await race(40, (index) => (index % 2 ? address : `a${index}@${domain.name}`));
    expect(sent).toBe(12);
    expect([...codes].toSorted()).toEqual(['RATE_LIMIT_EXCEEDED', 'sent']);
    expect((await stored(mailbox.id)).suspendedAt).toBeNull();
    expect(await alertsOf(domain.id)).toMatchObject([
      { kind: 'rate_limited', subject: domain.name, mailboxId: null, count: 12, expected: 12 },
    ]);
    expect((await send((await makeSender()).address)).status).toBe(200);
  });

  it.each([
    ['below', 2, 2],
    ['above', 6, 6],
    ['zero', 0, 0],
  ])('takes precedence over the default: %s', async (_, hourlySendLimit, expected) => {
    const { domain, address } = await makeSender();
    await limitTo({ domain_hourly: 4 });
    await db.domain.update({ where: { id: domain.id }, data: { hourlySendLimit } });
    const { sent, answers } = await race(8, () => address);
    expect(sent).toBe(expected);
    const rejected = answers.find(({ status }) => status === 429);
    expect(rejected?.error.details).toEqual({ count: expected, limit: expected, window_seconds: 3600 });
    expect(Number(rejected?.headers.get('retry-after'))).toBeGreaterThan(3500);
  });
});

describe('a message', () => {
  it('rejected by the mail server does not count, and an unconfirmed one does', async () => {
    const address = `news@${(await makeDomain()).name}`;
    await limitTo({ mailbox_hourly: 2 });
    mta.state.script = (point) => (point === 'DATA' ? { say: '554 5.7.1 No\r\n' } : undefined);
    for (let i = 0; i < 4; i++) expectError(await send(address), 500, 'SEND_FAILED');
    mta.state.script = (point) => (point === 'DOT' ? 'drop' : undefined);
    for (let i = 0; i < 2; i++) {
      expect(expectError(await send(address), 500, 'SEND_FAILED').error.details.outcome).toBe('uncertain');
    }
    expectError(await send(address), 429, 'RATE_LIMIT_EXCEEDED');
  });

  it('over a limit stores nothing and frees its Idempotency-Key', async () => {
    const domain = await makeDomain();
    await db.domain.update({ where: { id: domain.id }, data: { hourlySendLimit: 0 } });
    const headers = { 'idempotency-key': 'over-the-limit' };
    const body = message(`shop@${domain.name}`);
    expectError(await api.call('POST', '/send', { body, headers }), 429, 'RATE_LIMIT_EXCEEDED');
    expect(await db.message.count({ where: { domainId: domain.id } })).toBe(0);
    await db.domain.update({ where: { id: domain.id }, data: { hourlySendLimit: 1 } });
    expect((await api.call('POST', '/send', { body, headers })).status).toBe(200);
  });

  it('is checked against the thresholds at the time of sending', async () => {
    const address = `news@${(await makeDomain()).name}`;
    await limitTo({ mailbox_hourly: 1 });
    expect((await race(2, () => address)).sent).toBe(1);
    await limitTo({ mailbox_hourly: 3 });
    expect((await race(5, () => address)).sent).toBe(2);
  });
});

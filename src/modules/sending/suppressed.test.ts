import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, makeMailbox, makeSuppression, unique } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';

const mta = await startScriptedMta();

afterAll(() => mta.server.close());

const api = await keyClient({ role: 'admin' });
let domain: { id: string; name: string };
let recipients: string[];

beforeEach(async () => {
  domain = await makeDomain();
  recipients = [];
  mta.state.script = (point, line) => {
    if (point === 'RCPT') recipients.push(line.replace(/^RCPT TO:<|>.*$/g, ''));
    return undefined;
  };
});

function message(to: string[], over: object = {}) {
  const from = { email: `shop@${domain.name}` };
  return { from, to: to.map((email) => ({ email })), subject: 'Hello', text_body: 'Hi', ...over };
}

const SENT = { id: expect.any(String), message_id: expect.any(String) };

const send = (to: string[], over: object = {}) => api.post('/send', message(to, over));
const suppress = (email: string, over: Parameters<typeof makeSuppression>[2] = {}) =>
  makeSuppression(domain.id, email, over);
const events = (type: string) =>
  db.event.findMany({ where: { domainId: domain.id, type }, orderBy: { recipient: 'asc' } });
const bodies = async (type: string) => (await events(type)).map(({ body }) => JSON.parse(String(body)));

describe('a message with suppressed recipients', () => {
  it('is sent to the others, and the response, the trace, the audit log and an event say who was left out', async () => {
    await suppress('bo@far.example', { reason: 'bounce' });
    await suppress('di@far.example', { reason: 'complaint' });
    const answer = await send(['ann@far.example', 'Bo+Tag@far.example'], {
      cc: [{ email: 'cy@far.example' }],
      bcc: [{ email: 'di@far.example' }],
    });
    const suppressed = [
      { email: 'Bo+Tag@far.example', reason: 'bounce' },
      { email: 'di@far.example', reason: 'complaint' },
    ];
    expect(answer.status).toBe(200);
    expect(answer.data).toEqual({ ...SENT, suppressed });
    expect(recipients).toEqual(['ann@far.example', 'cy@far.example']);

    const { message_id: messageId } = answer.data;
    const row = await db.message.findFirstOrThrow({ where: { messageId }, include: { recipients: true } });
    expect(row.recipients.map(({ address }) => address).toSorted()).toEqual(['ann@far.example', 'cy@far.example']);
    const { data: shown } = await api.get(`/messages/${row.id}`);
    expect(shown.events.map(({ type, recipient }: Record<string, string>) => [type, recipient])).toEqual([
      ['accepted', null],
      ['suppressed', 'Bo+Tag@far.example'],
      ['suppressed', 'di@far.example'],
      ['queued', null],
    ]);
    expect(shown.events[1].detail).toEqual({ reason: 'bounce' });
    expect(shown.to).toEqual(['ann@far.example', 'Bo+Tag@far.example']);
    const entry = await db.auditEntry.findFirst({ where: { requestId: answer.meta.request_id } });
    expect(entry?.details).toMatchObject({ suppressed });

    const [first, ...others] = await bodies('mail.suppressed');
    expect(first).toEqual({
      ...{ id: messageId, event: 'mail.suppressed', timestamp: row.createdAt.toISOString() },
      data: {
        ...{ message_id: messageId, from: `shop@${domain.name}`, to: ['ann@far.example', 'Bo+Tag@far.example'] },
        ...{ recipient: 'Bo+Tag@far.example', subject: 'Hello', domain: domain.name, reason: 'bounce' },
      },
    });
    expect(others).toMatchObject([{ data: { recipient: 'di@far.example', reason: 'complaint' } }]);
    expect((await events('mail.suppressed'))[0]).toMatchObject({ messageRowId: row.id });
    expect(await events('mail.sent')).toHaveLength(1);
  });

  it('has no further field in its response if nobody is left out', async () => {
    expect((await send(['ann@far.example'])).data).toEqual(SENT);
    const { data } = await api.post('/send/batch', { messages: [message(['ann@far.example'])] });
    expect(data.results).toEqual([{ index: 0, ...SENT }]);
    expect(await events('mail.suppressed')).toEqual([]);
  });

  it('is not sent if nobody is left: 422, no message, nothing counted, an event for each', async () => {
    await suppress('ann@far.example');
    await suppress('bo@far.example', { reason: 'bounce' });
    const one = await send(['ann@far.example']);
    expect(expectError(one, 422, 'RECIPIENT_SUPPRESSED').error).toEqual({
      code: 'RECIPIENT_SUPPRESSED',
      message: 'ann@far.example is suppressed (manual). The message was not sent.',
      details: { suppressed: [{ email: 'ann@far.example', reason: 'manual' }] },
    });
    const both = await send(['ann@far.example', 'bo@far.example']);
    expect(both.error.message).toBe('All 2 recipients are suppressed. The message was not sent.');
    expect(recipients).toEqual([]);
    expect(await db.message.count({ where: { domainId: domain.id } })).toBe(0);
    expect(await db.countedSend.count({ where: { domainId: domain.id } })).toBe(0);
    const found = await events('mail.suppressed');
    expect(found.map(({ recipient, messageRowId }) => [recipient, messageRowId])).toEqual([
      ['ann@far.example', null],
      ['ann@far.example', null],
      ['bo@far.example', null],
    ]);
    const [body] = await bodies('mail.suppressed');
    expect(body).toMatchObject({ id: found[0]?.id, data: { message_id: null, recipient: 'ann@far.example' } });
    const entry = await db.auditEntry.findFirst({ where: { requestId: one.meta.request_id } });
    expect(entry).toMatchObject({ outcome: 'denied', details: { code: 'RECIPIENT_SUPPRESSED' } });
  });

  it('says the same as an item of a batch, which affects no other item', async () => {
    await suppress('ann@far.example');
    const { data } = await api.post('/send/batch', {
      messages: [
        message(['ann@far.example']),
        message(['bo@far.example']),
        message(['ann@far.example', 'bo@far.example']),
      ],
    });
    const suppressed = [{ email: 'ann@far.example', reason: 'manual' }];
    const error = 'ann@far.example is suppressed (manual). The message was not sent.';
    expect(data).toEqual({
      ...{ total: 3, succeeded: 2, failed: 1 },
      results: [
        { index: 0, error, code: 'RECIPIENT_SUPPRESSED', suppressed },
        { index: 1, ...SENT },
        { index: 2, ...SENT, suppressed },
      ],
    });
    expect(recipients).toEqual(['bo@far.example', 'bo@far.example']);
  });

  it('gets the same response again with the same Idempotency-Key, also in a batch', async () => {
    await suppress('ann@far.example');
    const key = { 'idempotency-key': unique() };
    const body = message(['ann@far.example', 'bo@far.example']);
    const first = await api.post('/send', body, key);
    await db.suppression.deleteMany({ where: { domainId: domain.id } });
    expect((await api.post('/send', body, key)).data).toEqual(first.data);
    await suppress('ann@far.example');
    const batchKey = { 'idempotency-key': unique() };
    const batch = { messages: [body, message(['ann@far.example'])] };
    const { data } = await api.post('/send/batch', batch, batchKey);
    expect(data.results[0].suppressed).toHaveLength(1);
    expect((await api.post('/send/batch', batch, batchKey)).data).toEqual(data);
    expect(recipients).toEqual(['bo@far.example', 'bo@far.example']);
  });

  it('frees the Idempotency-Key if nobody is left, so that it can be sent once the suppression is deleted', async () => {
    const { id } = await suppress('ann@far.example');
    const key = { 'idempotency-key': unique() };
    expectError(await api.post('/send', message(['ann@far.example']), key), 422, 'RECIPIENT_SUPPRESSED');
    await api.delete(`/suppressions/${id}`);
    expect((await api.post('/send', message(['ann@far.example']), key)).status).toBe(200);
  });
});

describe('a suppression holds', () => {
  const outcome = async (over: object = {}) => (await send(['ann@far.example'], over)).error?.code ?? 'sent';

  it('for the mail of its domain only, and that of all domains for every domain', async () => {
    await makeSuppression((await makeDomain()).id, 'ann@far.example');
    expect(await outcome()).toBe('sent');
    const global = await makeSuppression(null, 'ann@far.example');
    expect(await outcome()).toBe('RECIPIENT_SUPPRESSED');
    await db.suppression.delete({ where: { id: global.id } });
  });

  it('until it expires', async () => {
    await suppress('ann@far.example', { expiresAt: new Date(Date.now() - 1000) });
    expect(await outcome()).toBe('sent');
    await suppress('ann@far.example', { reason: 'bounce', expiresAt: new Date(Date.now() + 60_000) });
    expect(await outcome()).toBe('RECIPIENT_SUPPRESSED');
  });

  it('for transactional mail, unless the recipient only unsubscribed', async () => {
    await suppress('ann@far.example', { reason: 'unsubscribe' });
    expect(await outcome()).toBe('RECIPIENT_SUPPRESSED');
    expect(await outcome({ transactional: false })).toBe('RECIPIENT_SUPPRESSED');
    expect(await outcome({ transactional: true })).toBe('sent');
    await suppress('ann@far.example', { reason: 'complaint' });
    expect(await outcome({ transactional: true })).toBe('RECIPIENT_SUPPRESSED');
  });

  it('not for a list, because messages belong to none', async () => {
    await suppress('ann@far.example', { reason: 'unsubscribe', list: 'news' });
    expect(await outcome()).toBe('sent');
  });

  it('not for mail to a mailbox of this server', async () => {
    const own = await makeDomain();
    await makeMailbox(own.id, 'ann');
    await makeSuppression(null, `ann@${own.name}`);
    await makeSuppression(null, `bo@${own.name}`);
    expect((await send([`ann@${own.name}`])).status).toBe(200);
    expect((await send([`Ann+tag@${own.name}`, `bo@${own.name}`])).data.suppressed).toEqual([
      { email: `bo@${own.name}`, reason: 'manual' },
    ]);
  });

  it('by the first reason of several', async () => {
    for (const reason of ['manual', 'unsubscribe', 'complaint', 'bounce'] as const)
      await suppress('ann@far.example', { reason });
    const { error } = await send(['ann@far.example']);
    expect(error.details.suppressed).toEqual([{ email: 'ann@far.example', reason: 'bounce' }]);
  });

  it('after the checks of the sender, and before the hourly limit', async () => {
    await suppress('ann@far.example');
    await db.domain.update({ where: { id: domain.id }, data: { hourlySendLimit: 1 } });
    expect(await outcome()).toBe('RECIPIENT_SUPPRESSED');
    expect((await send(['bo@far.example'])).status).toBe(200);
    const limited = await send(['ann@far.example', 'bo@far.example']);
    expectError(limited, 429, 'RATE_LIMIT_EXCEEDED');
    expect(await events('mail.suppressed')).toHaveLength(1);
    await db.domain.update({ where: { id: domain.id }, data: { active: false } });
    expect(await outcome()).toBe('DOMAIN_INACTIVE');
  });

  it('for messages that come at the same time, each with its own recipients', async () => {
    for (let n = 0; n < 20; n += 2) await suppress(`r${n}@far.example`);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) => send([`r${n}@far.example`, `r${(n + 1) % 20}@far.example`])),
    );
    expect(answers.map(({ data }) => data.suppressed[0].email)).toEqual(
      answers.map((_, n) => `r${n % 2 === 0 ? n : (n + 1) % 20}@far.example`),
    );
    expect(recipients).toHaveLength(20);
    expect(recipients.every((email) => Number(email.match(/\d+/)?.[0]) % 2 === 1)).toBe(true);
  });
});

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';

const mta = await startScriptedMta();

beforeEach(() => {
  mta.state.script = () => undefined;
});

afterAll(() => mta.server.close());

const domain = await makeDomain();
const api = await keyClient({ role: 'admin' });

function message(to: string, over: object = {}) {
  return { from: { email: `shop@${domain.name}` }, to: [{ email: to }], subject: 'Hello', text_body: 'Hi', ...over };
}

/** Sends a batch from a domain that has sent nothing yet, and so is far from its hourly limit. */
async function batchOfOtherDomain(count: number) {
  const { name } = await makeDomain();
  const from = `shop@${name}`;
  return {
    from,
    messages: Array.from({ length: count }, (_, i) => message(`r${i}@far.example`, { from: { email: from } })),
  };
}

describe('a batch', () => {
  it('sends each message, responds in request order, and emits one event per message', async () => {
    const messages = Array.from({ length: 25 }, (_, i) => message(`r${i}@far.example`));
    const before = await db.event.count();
    const answer = await api.post('/send/batch', { messages });
    expect(answer.status).toBe(200);
    expect(answer.data).toMatchObject({ total: 25, succeeded: 25, failed: 0 });
    expect(answer.data.results.map((result: { index: number }) => result.index)).toEqual(messages.map((_, i) => i));
    for (const [i, result] of answer.data.results.entries()) {
      const row = await db.message.findFirstOrThrow({ where: { messageId: result.message_id } });
      expect(row.toAddresses).toEqual([`r${i}@far.example`]);
    }
    expect((await db.event.count()) - before).toBe(25);
    const entries = await db.auditEntry.findMany({ where: { requestId: answer.meta.request_id } });
    expect(entries).toMatchObject([{ action: 'message.send_batch', outcome: 'success', resource: 'message' }]);
  });

  it('fails invalid items without affecting the others', async () => {
    mta.state.script = (point, line) =>
      point === 'RCPT' && line.includes('refused@') ? { say: '550 5.1.1 No such user\r\n' } : undefined;
    const inactive = await makeDomain({ active: false });
    const items: [unknown, string | null][] = [
      [message('a@far.example'), null],
      [null, 'MISSING_FIELDS'],
      ['text', 'VALIDATION_ERROR'],
      [[], 'MISSING_FIELDS'],
      [['text'], 'VALIDATION_ERROR'],
      [42, 'VALIDATION_ERROR'],
      [{}, 'MISSING_FIELDS'],
      [message('a@far.example', { from: { email: 'nope' } }), 'INVALID_SENDER'],
      [message('a@far.example', { headers: { Bcc: 'x@y.example' } }), 'INVALID_HEADER'],
      [message('a@far.example', { from: { email: 'a@unknown.example' } }), 'DOMAIN_NOT_FOUND'],
      [message('a@far.example', { from: { email: `a@${inactive.name}` } }), 'DOMAIN_INACTIVE'],
      [message('refused@far.example'), 'SEND_FAILED'],
      [message('b@far.example'), null],
    ];
    const answer = await api.post('/send/batch', { messages: items.map(([item]) => item) });
    expect(answer.data).toMatchObject({ total: 13, succeeded: 2, failed: 11 });
    expect(answer.data.results.map((result: { code?: string }) => result.code ?? null)).toEqual(
      items.map(([, code]) => code),
    );
    for (const result of answer.data.results) {
      if (result.code) expect(result.error).toEqual(expect.any(String));
      else expect(result.message_id).toMatch(/^<.+>$/);
    }
  });

  it('says which field of an item is wrong, and why', async () => {
    const items = [
      message('nope'),
      message('a@far.example', { headers: { 'X-A': 'a\nb' }, subject: '' }),
      message('a@far.example', { text_body: 7 }),
    ];
    const { data } = await api.post('/send/batch', { messages: items });
    expect(data.results.map(({ error }: { error: string }) => error)).toEqual([
      'to.0.email: Enter a plain address such as ann@example.com.',
      'subject: Enter a subject.',
      'text_body: Enter text.',
    ]);
  });

  it('uses several connections at once, but not more than five', async () => {
    let open = 0;
    let most = 0;
    mta.state.script = (point) => {
      if (point === 'DATA') open += 1;
      most = Math.max(most, open);
      if (point === 'DOT') open -= 1;
      return undefined;
    };
    await api.post('/send/batch', { messages: Array.from({ length: 30 }, (_, i) => message(`c${i}@far.example`)) });
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(5);
  });

  it('goes on while a message hangs', async () => {
    const { messages } = await batchOfOtherDomain(30);
    const before = mta.server.messages.length;
    mta.state.script = (point, line) => (point === 'RCPT' && line.includes('r0@') ? 'hang' : undefined);
    const call = api.post('/send/batch', { messages });
    await expect.poll(() => mta.server.messages.length - before, { timeout: 5_000 }).toBe(29);
    mta.server.dropAll();
    expect((await call).data).toMatchObject({ total: 30 });
  });

  it('has no more than twenty messages on their way', async () => {
    const { from, messages } = await batchOfOtherDomain(30);
    mta.state.script = (point) => (point === 'RCPT' ? 'hang' : undefined);
    const before = mta.server.commands.length;
    const call = api.post('/send/batch', { messages });
    const asked = () => mta.server.commands.slice(before).filter((line) => line.startsWith('RCPT')).length;
    await expect.poll(asked, { timeout: 5_000 }).toBe(5);
    expect(await db.message.count({ where: { fromAddress: from } })).toBe(20);
    mta.state.script = () => undefined;
    mta.server.dropAll();
    expect((await call).data).toMatchObject({ total: 30 });
  });

  it.each([
    [{}, 'MISSING_FIELDS'],
    [{ messages: null }, 'MISSING_FIELDS'],
    [{ messages: [] }, 'EMPTY_BATCH'],
    [{ messages: 'x' }, 'VALIDATION_ERROR'],
    [{ messages: [{}], dry_run: true }, 'VALIDATION_ERROR'],
    [{ messages: Array(101).fill({}) }, 'BATCH_TOO_LARGE'],
  ] as const)('rejects %j with %s', async (body, code) => {
    expectError(await api.post('/send/batch', body), 400, code);
  });

  it('accepts 100 messages', async () => {
    const answer = await api.post('/send/batch', {
      messages: Array.from({ length: 100 }, (_, i) => message(`h${i}@far.example`)),
    });
    expect(answer.data).toMatchObject({ total: 100, succeeded: 100 });
  });
});

describe('the audit entry of a batch', () => {
  const entriesOf = async (adminId: string) =>
    db.auditEntry.findMany({ where: { adminId, action: 'message.send_batch' }, orderBy: { createdAt: 'asc' } });

  it('is recorded before the first message is submitted', async () => {
    const caller = await keyClient({ role: 'admin' });
    let found: ReturnType<typeof entriesOf> | undefined;
    mta.state.script = (point) => {
      if (point === 'DATA') found ??= entriesOf(caller.admin.id);
      return undefined;
    };
    const messages = [message('a@far.example'), message('b@far.example')];
    const { results } = (await caller.post('/send/batch', { messages })).data;
    const ids = results.map((result: { message_id: string }) => result.message_id);
    expect(await found).toMatchObject([
      { details: { total: 2, refused: 0, domains: [domain.name], message_ids: ids } },
    ]);
    expect(await entriesOf(caller.admin.id)).toHaveLength(1);
  });

  it('names the domain if all valid messages are from one, so its domain admins see it', async () => {
    const caller = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    const upper = { from: { email: `shop@${domain.name.toUpperCase()}` } };
    const messages = [message('a@far.example'), message('b@far.example', upper), { subject: 'no sender' }, null];
    await caller.post('/send/batch', { messages });
    expect(await entriesOf(caller.admin.id)).toMatchObject([
      { domainId: domain.id, outcome: 'error', details: { total: 4, refused: 2, domains: [domain.name] } },
    ]);
  });

  it('names no domain if there are several, none, or one without access', async () => {
    const other = await makeDomain();
    const from = (name: string) => message('a@far.example', { from: { email: `shop@${name}` } });
    const caller = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    for (const messages of [[message('a@far.example'), from(other.name)], [{}], [from(other.name)]]) {
      await caller.post('/send/batch', { messages });
    }
    const entries = await entriesOf(caller.admin.id);
    expect(entries.map(({ domainId }) => domainId)).toEqual([null, null, null]);
    expect(entries[0]?.details).toMatchObject({ domains: [domain.name, other.name] });
  });

  it('is recorded for a replay too, and marked as one', async () => {
    const caller = await keyClient({ role: 'admin' });
    const send = () =>
      caller.post('/send/batch', { messages: [message('a@far.example')] }, { 'idempotency-key': caller.keyId });
    const first = await send();
    expect((await send()).data).toEqual(first.data);
    const entries = await entriesOf(caller.admin.id);
    const ids = [first.data.results[0].message_id];
    expect(entries).toMatchObject([
      { domainId: domain.id, details: { message_ids: ids } },
      { domainId: domain.id, details: { message_ids: ids, replayed: true } },
    ]);
    expect(entries[0]?.details).not.toHaveProperty('replayed');
  });
});

it('a field name that the database cannot store fails its item, and the call is audited', async () => {
  const wrong = [{ '\u0000': 1 }, { '\ud800': 1 }, message('a@far.example', { headers: { 'X-\u0000': 'y' } })];
  const answer = await api.post('/send/batch', { messages: [message('good@far.example'), ...wrong] });
  expect(answer.data).toMatchObject({ total: 4, succeeded: 1, failed: 3 });
  expect(await db.auditEntry.count({ where: { requestId: answer.meta.request_id } })).toBe(1);
});

it('a body of a million empty items, or deeply nested, is rejected before it takes up memory', async () => {
  const rawBody = `{"messages":[${'{},'.repeat(1_000_000)}{}]}`;
  expectError(await api.call('POST', '/send/batch', { rawBody }), 400, 'VALIDATION_ERROR');
  const deep = `{"messages":${'['.repeat(500_000)}${']'.repeat(500_000)}}`;
  expectError(await api.call('POST', '/send/batch', { rawBody: deep }), 400, 'VALIDATION_ERROR');
});

import { setTimeout } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeDomain, unique } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { failAt, type SmtpScript } from '@/test/servers/raw-smtp-server';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { deleteOldKeys } from './idempotency';

const mta = await startScriptedMta();

beforeEach(() => {
  mta.state.script = () => undefined;
});

afterAll(() => mta.server.close());

const domain = await makeDomain();
const api = await keyClient({ role: 'admin' });

function message(over: object = {}) {
  return {
    from: { email: `shop@${domain.name}` },
    to: [{ email: 'ann@far.example' }],
    subject: 'Hello',
    text_body: 'Hi',
    ...over,
  };
}

const send = (key: string, body: object = message()) => api.post('/send', body, { 'idempotency-key': key });
const sendBatch = (key: string, messages: object[]) =>
  api.post('/send/batch', { messages }, { 'idempotency-key': key });
const expire = (key: string) =>
  db.$executeRaw`UPDATE idempotency_key SET leased_until = now() - interval '1 second' WHERE key = ${key}`;

describe('a repeated call with the same key and body', () => {
  it('gets the same response and sends nothing', async () => {
    const key = unique();
    const first = await send(key);
    const transfers = mta.server.transfers();
    const second = await send(key);
    expect(second.status).toBe(200);
    expect(second.data).toEqual(first.data);
    expect(mta.server.transfers()).toBe(transfers);
  });

  it('gets the same response when the fields are in another order and text is escaped otherwise', async () => {
    const key = unique();
    const headers = { 'idempotency-key': key };
    const { from, to, subject, text_body } = message({ subject: 'Größe' });
    const first = await api.call('POST', '/send', { headers, body: { from, to, subject, text_body } });
    expect(first.status).toBe(200);
    const rawBody = JSON.stringify({ text_body, subject, to, from }, null, 2).replace('ö', '\\u00f6');
    const second = await api.call('POST', '/send', { headers, rawBody });
    expect(second.data).toEqual(first.data);
    const moved = { from, to, subject: `${subject}Hi`, text_body: '' };
    const other = { ...moved, text_body: subject, subject: text_body };
    for (const body of [moved, other]) {
      expectError(
        await api.call('POST', '/send', { headers, body }),
        body === moved ? 400 : 409,
        body === moved ? 'MISSING_FIELDS' : 'IDEMPOTENCY_CONFLICT',
      );
    }
  });

  it('sends one message for fifty concurrent calls; the others get the same response or a conflict', async () => {
    const key = unique();
    const transfers = mta.server.transfers();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(key)));
    const statuses = new Set(answers.map((answer) => answer.status));
    expect([...statuses].sort()).toEqual(expect.arrayContaining([200]));
    for (const status of statuses) expect([200, 409]).toContain(status);
    expect(mta.server.transfers()).toBe(transfers + 1);
    const ids = new Set(answers.filter((answer) => answer.status === 200).map((answer) => answer.data.message_id));
    expect(ids.size).toBe(1);
  });

  it('sends another message for another caller', async () => {
    const key = unique();
    const other = await keyClient({ role: 'admin' });
    const [first, second] = [await send(key), await other.post('/send', message(), { 'idempotency-key': key })];
    expect(second.data.message_id).not.toBe(first.data.message_id);
  });

  it('gets the same response for an accepted message that failed later, and sends nothing', async () => {
    const [key, batchKey] = [unique(), unique()];
    const first = await send(key);
    const batch = await sendBatch(batchKey, [message()]);
    await db.message.updateMany({
      where: { messageId: { in: [first.data.message_id, batch.data.results[0].message_id] } },
      data: { status: 'failed' },
    });
    await db.$executeRaw`UPDATE idempotency_key SET leased_until = now() - interval '1 second' WHERE key = ${batchKey}`;
    const transfers = mta.server.transfers();
    expect((await send(key)).data).toEqual(first.data);
    expect((await sendBatch(batchKey, [message()])).data).toEqual(batch.data);
    expect(mta.server.transfers()).toBe(transfers);
  });

  it('sends again after a definite failure', async () => {
    const key = unique();
    mta.state.script = (point) => (point === 'RCPT' ? { say: '550 5.1.1 No such user\r\n' } : undefined);
    expectError(await send(key), 500, 'SEND_FAILED');
    mta.state.script = () => undefined;
    expect((await send(key)).status).toBe(200);
  });

  it('sends nothing after an uncertain outcome, and reports it until it is settled', async () => {
    const key = unique();
    mta.state.script = (point) => (point === 'DOT' ? 'drop' : undefined);
    const first = expectError(await send(key), 500, 'SEND_FAILED');
    mta.state.script = () => undefined;
    const transfers = mta.server.transfers();
    const second = expectError(await send(key), 500, 'SEND_FAILED');
    expect(second.error.details).toEqual(first.error.details);
    expect(second.error.details.outcome).toBe('uncertain');
    expect(mta.server.transfers()).toBe(transfers);

    await db.message.update({ where: { id: first.error.details.id as string }, data: { status: 'sent' } });
    const settled = await send(key);
    expect(settled.data).toEqual({ id: first.error.details.id, message_id: first.error.details.message_id });
  });

  it('is a new call a day later', async () => {
    const key = unique();
    const first = await send(key);
    await db.$executeRaw`UPDATE idempotency_key SET created_at = now() - interval '25 hours' WHERE key = ${key}`;
    const second = await send(key);
    expect(second.data.message_id).not.toBe(first.data.message_id);
    await db.$executeRaw`UPDATE idempotency_key SET created_at = now() - interval '25 hours' WHERE key = ${key}`;
    await deleteOldKeys(db);
    expect(await db.idempotencyKey.count({ where: { key } })).toBe(0);
    expect(await db.message.count({ where: { messageId: second.data.message_id } })).toBe(1);
  });
});

describe('a batch of which nothing was sent', () => {
  const refuse: SmtpScript = failAt('RCPT', { say: '451 4.3.0 Try later\r\n' });
  const invalid = () => message({ to: [{ email: 'no address' }] });

  it('runs again after a failure that can pass', async () => {
    const key = unique();
    mta.state.script = refuse;
    const first = await sendBatch(key, [message(), invalid()]);
    expect(first.data).toMatchObject({
      succeeded: 0,
      results: [{ code: 'SEND_FAILED' }, { code: 'VALIDATION_ERROR' }],
    });
    mta.state.script = () => undefined;
    const second = await sendBatch(key, [message(), invalid()]);
    expect(second.data).toMatchObject({ succeeded: 1, failed: 1 });
    expect((await sendBatch(key, [message(), invalid()])).data).toEqual(second.data);
  });

  it('gets the same response if its messages are invalid', async () => {
    const key = unique();
    await sendBatch(key, [invalid()]);
    expect(await db.idempotencyKey.count({ where: { key } })).toBe(1);
  });

  it.each<[string, SmtpScript, object]>([
    ['was sent', () => undefined, {}],
    ['is unconfirmed', failAt('DOT', 'drop'), {}],
    ['is scheduled', () => undefined, { send_at: new Date(Date.now() + 3_600_000).toISOString() }],
  ])('gets the same response if one of its messages %s', async (_, script, other) => {
    const key = unique();
    const messages = [message({ to: [{ email: 'refused@far.example' }] }), message(other)];
    mta.state.script = (point, line, session) =>
      line.includes('refused@') ? refuse(point, line, session) : script(point, line, session);
    const first = await sendBatch(key, messages);
    expect(first.data.results[0]).toMatchObject({ code: 'SEND_FAILED' });
    mta.state.script = () => undefined;
    const transfers = mta.server.transfers();
    expect((await sendBatch(key, messages)).data).toEqual(first.data);
    expect(mta.server.transfers()).toBe(transfers);
  });
});

describe('a call with a used key', () => {
  it('with another body is a conflict', async () => {
    const key = unique();
    await send(key);
    for (const answer of [await send(key, message({ subject: 'Other' })), await sendBatch(key, [message()])]) {
      expect(expectError(answer, 409, 'IDEMPOTENCY_CONFLICT').error.details).toEqual({ reason: 'different_body' });
      expect(answer.headers.get('retry-after')).toBeNull();
    }
  });

  it('while the first call is in flight is a conflict', async () => {
    const key = unique();
    const held = new Promise<void>((resolve) => {
      mta.state.script = (point) => {
        if (point !== 'DATA') return undefined;
        resolve();
        return 'hang';
      };
    });
    const first = send(key);
    await held;
    const answer = expectError(await send(key), 409, 'IDEMPOTENCY_CONFLICT');
    expect(answer.error.details).toEqual({ reason: 'in_progress' });
    expect(answer.headers.get('retry-after')).toBe('2');
    mta.state.script = () => undefined;
    mta.server.dropAll();
    await first;
    expect(await db.idempotencyKey.count({ where: { key, leasedUntil: { gt: new Date() } } })).toBe(0);
  });

  it.each(['', 'with space', 'x'.repeat(256), 'ümlaut'])('rejects the key %j', async (key) => {
    const header = Buffer.from(key, 'utf8').toString('latin1');
    const answer = expectError(await send(header), 400, 'VALIDATION_ERROR');
    expect(answer.error.details.fields?.[0]?.path).toBe('Idempotency-Key');
    const { paths } = await (await api.download('/openapi.json')).json();
    const { schema } = paths['/send'].post.parameters.find(({ name }: { name: string }) => name === 'Idempotency-Key');
    expect(new RegExp(schema.pattern).test(key) && key.length <= schema.maxLength).toBe(false);
  });
});

describe('after a crash', () => {
  it('during submission, the message is uncertain and not sent again', async () => {
    const key = unique();
    await send(key);
    const row = await db.message.findFirstOrThrow({ where: { idempotencyKey: { key } } });
    await db.message.update({ where: { id: row.id }, data: { status: 'submitting', queueId: null } });
    await db.$executeRaw`UPDATE idempotency_key SET leased_until = now() + interval '30 seconds' WHERE key = ${key}`;
    expectError(await send(key), 409, 'IDEMPOTENCY_CONFLICT');
    await expire(key);
    const transfers = mta.server.transfers();
    const answer = expectError(await send(key), 500, 'SEND_FAILED');
    expect(answer.error.details).toMatchObject({ outcome: 'uncertain', message_id: row.messageId });
    expect(mta.server.transfers()).toBe(transfers);
    expect((await db.message.findUniqueOrThrow({ where: { id: row.id } })).status).toBe('uncertain');
  });

  it('before the message was stored, the call runs again', async () => {
    const key = unique();
    await send(key);
    await db.message.deleteMany({ where: { idempotencyKey: { key } } });
    await db.$executeRaw`UPDATE idempotency_key SET leased_until = now() - interval '1 second' WHERE key = ${key}`;
    expect((await send(key)).status).toBe(200);
    expect(await db.message.count({ where: { idempotencyKey: { key } } })).toBe(1);
  });

  it('in a batch, only the unsent items are sent', async () => {
    const key = unique();
    const messages = Array.from({ length: 6 }, (_, i) => message({ subject: `Item ${i}` }));
    const first = await sendBatch(key, messages);
    const rows = await db.message.findMany({ where: { idempotencyKey: { key } }, orderBy: { batchIndex: 'asc' } });
    await db.message.update({ where: { id: rows[1]?.id }, data: { status: 'submitting' } });
    await db.message.delete({ where: { id: rows[4]?.id } });
    await db.$executeRaw`
      UPDATE idempotency_key SET leased_until = now() - interval '1 second', response = NULL WHERE key = ${key}`;

    const transfers = mta.server.transfers();
    const resumed = await sendBatch(key, messages);
    expect(mta.server.transfers()).toBe(transfers + 1);
    expect(resumed.data).toMatchObject({ total: 6, succeeded: 5, failed: 1 });
    expect(resumed.data.results[1]).toMatchObject({ index: 1, code: 'SEND_FAILED' });
    expect(resumed.data.results[0]).toEqual(first.data.results[0]);
    expect(resumed.data.results[4].message_id).not.toBe(first.data.results[4].message_id);

    const replayed = await sendBatch(key, messages);
    expect(replayed.data).toEqual(resumed.data);
    await db.message.update({ where: { id: rows[1]?.id }, data: { status: 'sent' } });
    expect((await sendBatch(key, messages)).data).toMatchObject({ succeeded: 6 });
  });
});

it('a call that lost its lease can neither finish nor free the key', async () => {
  const { claimKey, finishKey, freeKey } = await import('./idempotency');
  const key = unique();
  const actor = { admin: api.admin, key: null } as never;
  const fingerprint = new Uint8Array(32);
  const slow = await claimKey(db, actor, key, fingerprint);
  await expire(key);
  const quick = await claimKey(db, actor, key, fingerprint);
  expect([slow.kind, quick.kind]).toEqual(['claimed', 'claimed']);
  await finishKey(db, slow.claim);
  await freeKey(db, slow.claim);
  const row = await db.idempotencyKey.findFirstOrThrow({ where: { key } });
  expect(row.leasedUntil).not.toBeNull();
});

describe('when the database goes away after the mail server has replied', () => {
  const away = () => db.$executeRawUnsafe('ALTER TABLE event RENAME TO event_away');
  const back = () => db.$executeRawUnsafe('ALTER TABLE event_away RENAME TO event');

  it('for a moment, stores the outcome once it is back', async () => {
    const key = unique();
    await away();
    const sent = send(key);
    await setTimeout(700);
    await back();
    const answer = await sent;
    expect(answer.status).toBe(200);
    const row = await db.message.findFirstOrThrow({ where: { idempotencyKey: { key } } });
    expect(row).toMatchObject({ status: 'sent', messageId: answer.data.message_id });
    expect(await db.auditEntry.count({ where: { requestId: answer.meta.request_id } })).toBe(1);
  });

  it('for longer, responds with an uncertain outcome, and the same key sends nothing again', async () => {
    const key = unique();
    await away();
    const first = expectError(await send(key), 500, 'SEND_FAILED');
    await back();
    expect(first.error.details.outcome).toBe('uncertain');
    const transfers = mta.server.transfers();
    const second = expectError(await send(key), 500, 'SEND_FAILED');
    expect(second.error.details.message_id).toBe(first.error.details.message_id);
    expect(mta.server.transfers()).toBe(transfers);
  });
});

describe('when the key can’t be finished', () => {
  beforeEach(async () => {
    await db.$executeRawUnsafe(`CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN RAISE EXCEPTION 'the key can not be changed'; END $$`);
    await db.$executeRawUnsafe(`CREATE TRIGGER refused BEFORE UPDATE OR DELETE ON idempotency_key
      FOR EACH ROW EXECUTE FUNCTION refuse_change()`);
  });

  const allow = () => db.$executeRawUnsafe('DROP FUNCTION IF EXISTS refuse_change CASCADE');
  afterEach(allow);

  it.each<[string, SmtpScript, number, object]>([
    ['accepted', () => undefined, 200, { status: 200 }],
    ['refused', failAt('RCPT', { say: '550 5.1.1 No such user\r\n' }), 500, { status: 200 }],
    ['uncertain', failAt('DOT', 'drop'), 500, { status: 500 }],
  ])('responds that the message was %s, and is repeated safely', async (outcome, script, status, repeated) => {
    const key = unique();
    mta.state.script = script;
    const first = await send(key);
    expect(first.status).toBe(status);
    if (status === 500) expect(first.error?.details.outcome).toBe(outcome);
    mta.state.script = () => undefined;
    await allow();
    await expire(key);
    const transfers = mta.server.transfers();
    const second = await send(key);
    expect(second).toMatchObject(repeated);
    if (outcome === 'refused') return;
    expect([second.data, second.error?.details]).toEqual([first.data, first.error?.details]);
    expect(mta.server.transfers()).toBe(transfers);
  });

  it('responds with the results of a batch, and is repeated safely', async () => {
    const key = unique();
    const first = await sendBatch(key, [message()]);
    expect(first.data).toMatchObject({ succeeded: 1 });
    await allow();
    await expire(key);
    expect((await sendBatch(key, [message()])).data).toEqual(first.data);
  });
});

import { afterAll, beforeEach, expect, it } from 'vitest';
import { contentSettled } from '@/modules/messages/content/keeping/keep';
import { mailServerCalls } from '@/modules/messages/service';
import { makeContentStore } from '@/test/content-store';
import { db } from '@/test/database';
import { makeDomain, makeSuppression, unique } from '@/test/factories';
import { ANSWERS } from '@/test/mail/reported-message';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';

await makeContentStore();

const mta = await startScriptedMta();

afterAll(() => mta.server.close());

const api = await keyClient({ role: 'admin' });
let domain: { id: string; name: string };

beforeEach(async () => {
  domain = await makeDomain();
});

const TAGS = { campaign: 'spring-2026', plan: 'pro_v1.2', source: 'web@eu' };
const METADATA = { order: 1042, lines: [{ sku: 'a', price: 1e300 }], note: 'Grüße 🎉', none: null, z: 1, a: 2 };

function message(over: object = {}) {
  const from = { email: `shop@${domain.name}` };
  return { from, to: [{ email: 'ann@far.example' }], subject: 'Hello', text_body: 'Hi', ...over };
}

async function sendOne(over: object = {}) {
  const { status, data } = await api.post('/send', message(over));
  expect(status).toBe(200);
  return db.message.findFirstOrThrow({ where: { messageId: data.message_id } });
}

const bodies = async (id: string) =>
  (await db.event.findMany({ where: { messageRowId: id }, orderBy: { id: 'asc' } })).map(({ body }) =>
    JSON.parse(String(body)),
  );

it('the message, the list, the export and every event have the tags and metadata, as they were sent', async () => {
  await makeSuppression(domain.id, 'bo@far.example');
  const to = ['ann', 'bo', 'cy', 'di'].map((name) => ({ email: `${name}@far.example` }));
  mta.state.script = (point, line) =>
    point === 'RCPT' && line.includes('di@') ? { say: '550 5.1.1 No such user here\r\n' } : undefined;
  const { id, messageId, queueId } = await sendOne({ to, tags: TAGS, metadata: METADATA });
  mta.state.script = () => undefined;
  const { onReport } = mailServerCalls(db);
  const report = { messageId, queueId, remoteMta: 'mx.far.example', at: new Date() };
  await onReport({ kind: 'delivered', recipient: 'ann@far.example', ...report, ...ANSWERS.delivered });
  await onReport({ kind: 'bounced', recipient: 'cy@far.example', ...report, ...ANSWERS.bounced });

  const { data: shown } = await api.get(`/messages/${id}`);
  expect({ tags: shown.tags, metadata: shown.metadata }).toEqual({ tags: TAGS, metadata: METADATA });
  expect(Object.keys(shown.metadata)).toEqual(Object.keys(METADATA));
  const { data: listed } = await api.get(`/messages?domain_id=${domain.id}`);
  expect(listed).toMatchObject([{ id, tags: TAGS }]);
  expect(listed[0]).not.toHaveProperty('metadata');
  const csv = await (await api.download(`/messages/export?domain_id=${domain.id}`)).text();
  expect(csv).toContain('"plan:pro_v1.2, source:web@eu, campaign:spring-2026"');

  const events = await bodies(id);
  expect(events.map(({ event }) => event).toSorted()).toEqual([
    'mail.bounced',
    'mail.delivered',
    'mail.failed',
    'mail.sent',
    'mail.suppressed',
  ]);
  for (const { data } of events) {
    expect({ tags: data.tags, metadata: data.metadata }).toEqual({ tags: TAGS, metadata: METADATA });
    expect(Object.keys(data.metadata)).toEqual(Object.keys(METADATA));
  }
});

it('a message without them is as before, also with empty tags', async () => {
  for (const over of [{}, { tags: {} }, { tags: null, metadata: null }]) {
    const { id } = await sendOne(over);
    expect((await api.get(`/messages/${id}`)).data).toMatchObject({ tags: {}, metadata: null });
    const [sent] = await bodies(id);
    expect(Object.keys(sent.data)).toEqual(['message_id', 'from', 'to', 'subject', 'domain']);
    expect(await db.messageTag.count({ where: { messageId: id } })).toBe(0);
  }
});

it('messages of a batch, and resent ones, have theirs', async () => {
  const [one, other] = [{ tags: { kind: unique() } }, { tags: { kind: unique() }, metadata: { n: 2 } }];
  const { data } = await api.post('/send/batch', { messages: [message(one), message(other), message()] });
  expect(data.succeeded).toBe(3);
  const { data: listed } = await api.get(`/messages?domain_id=${domain.id}`);
  const byId = new Map(listed.map((each: { message_id: string }) => [each.message_id, each]));
  const tagsOf = ({ message_id: id }: { message_id: string }) => (byId.get(id) as { tags: object }).tags;
  expect(data.results.map(tagsOf)).toEqual([one.tags, other.tags, {}]);
  const { data: found } = await api.get(`/messages?tag=kind:${other.tags.kind}`);
  await contentSettled();
  const { data: copy } = await api.post(`/messages/${found[0].id}/resend`, {});
  expect((await api.get(`/messages/${copy.id}`)).data).toMatchObject(other);
});

it('a filter finds the messages with a tag, alone and with other filters, and only in the caller’s domains', async () => {
  const [tag, elsewhere] = [unique(), await makeDomain()];
  const first = await sendOne({ tags: { kind: tag, other: 'x' } });
  const second = await sendOne({ tags: { kind: tag }, to: [{ email: 'bo@far.example' }], subject: 'Parcel' });
  await sendOne({ tags: { kind: `${tag}x` } });
  await sendOne({ tags: { kinds: tag } });
  const from = { email: `shop@${elsewhere.name}` };
  const { data: foreign } = await api.post('/send', message({ from, tags: { kind: tag } }));
  const find = async (query: string, client = api) =>
    (await client.get(`/messages?tag=kind:${tag}${query}`)).data.map(({ id }: { id: string }) => id);
  const own = `&domain_id=${domain.id}`;
  expect(await find(own)).toEqual([second.id, first.id]);
  expect(await find(`${own}&order=asc&limit=1`)).toEqual([first.id]);
  expect(await find(`${own}&to=bo@far.example`)).toEqual([second.id]);
  expect(await find(`${own}&q=parcel`)).toEqual([second.id]);
  expect(await find(`&from=shop@${domain.name}`)).toEqual([second.id, first.id]);
  expect(await find('&status=failed')).toEqual([]);
  expect(await find(`&message_id=${encodeURIComponent(foreign.message_id)}`)).toHaveLength(1);
  expect((await api.get(`/messages?tag=kind:${tag}&total=true`)).meta.pagination?.total).toBe(3);
  const scoped = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
  expect(await find('', scoped)).toEqual([second.id, first.id]);
  expect(await find('x')).toHaveLength(1);
  expect((await api.get('/messages?tag=kind')).data).toEqual([]);
});

it('statistics count messages under each of their tags', async () => {
  const [one, two] = [unique(), unique()];
  await sendOne({ tags: { kind: one, other: two } });
  await sendOne({ tags: { kind: one } });
  await sendOne();
  const { data } = await api.get(`/analytics?dimension=tag&domain_id=${domain.id}`);
  expect(data.breakdown).toMatchObject([
    { value: `kind:${one}`, label: null, sent: 2 },
    { value: `other:${two}`, sent: 1 },
  ]);
});

it.each([
  [{ tags: Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`t${n}`, 'x'])) }, 'tags'],
  [{ tags: { 'a b': 'x' } }, 'tags.a b'],
  [{ tags: { 'a:b': 'x' } }, 'tags.a:b'],
  [{ tags: { '': 'x' } }, 'tags.'],
  [{ tags: JSON.parse('{"__proto__": "x"}') }, 'tags.__proto__'],
  [{ tags: { ['a'.repeat(257)]: 'x' } }, `tags.${'a'.repeat(195)}`],
  [{ tags: { a: '' } }, 'tags.a'],
  [{ tags: { a: 'x y' } }, 'tags.a'],
  [{ tags: { a: 'x:y' } }, 'tags.a'],
  [{ tags: { a: 'é' } }, 'tags.a'],
  [{ tags: { a: 'x'.repeat(257) } }, 'tags.a'],
  [{ tags: { a: 1 } }, 'tags.a'],
  [{ tags: { a: null } }, 'tags.a'],
  [{ tags: ['a'] }, 'tags'],
  [{ metadata: 'x' }, 'metadata'],
  [{ metadata: [1] }, 'metadata'],
  [{ metadata: JSON.parse('{"__proto__": 1}') }, 'metadata'],
  [{ metadata: { a: 'x'.repeat(2041) } }, 'metadata'],
  [{ metadata: { a: 'é'.repeat(1021) } }, 'metadata'],
  [{ metadata: { a: ['x\0'] } }, 'metadata'],
  [{ metadata: { a: { '\ud800': 1 } } }, 'metadata'],
])('rejects %j and names the field', async (over, path) => {
  const { error } = expectError(await api.post('/send', message(over)), 400, 'VALIDATION_ERROR');
  expect(error.details.fields).toMatchObject([{ path }]);
  const { data } = await api.post('/send/batch', { messages: [message(over), message()] });
  expect(data).toMatchObject({ succeeded: 1, results: [{ code: 'VALIDATION_ERROR' }, {}] });
});

it('takes the largest tags and metadata', async () => {
  const tags = Object.fromEntries(
    Array.from({ length: 10 }, (_, n) => [String(n).repeat(256), `${n}${'@'.repeat(255)}`]),
  );
  const metadata = { a: 'é'.repeat(1020) };
  const { id } = await sendOne({ tags, metadata });
  expect((await api.get(`/messages/${id}`)).data).toMatchObject({ tags, metadata });
  const [[name, value]] = Object.entries(tags) as [[string, string]];
  expect((await api.get(`/messages?tag=${encodeURIComponent(`${name}:${value}`)}`)).data).toMatchObject([{ id }]);
  const { data } = await api.get(`/analytics?dimension=tag&domain_id=${domain.id}&limit=100`);
  expect(data.breakdown.map((entry: { value: string }) => entry.value).toSorted()).toEqual(
    Object.entries(tags)
      .map(([key, text]) => `${key}:${text}`)
      .toSorted(),
  );
});

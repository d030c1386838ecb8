import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { reserveBodyBudget } from '@/server/http/body/body-budget';
import { makeDomain } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';

const MB = 1024 * 1024;
/** The bytes of large bodies that one caller can hold at a time. */
const SHARE = 128 * MB;

const mta = await startScriptedMta();
const domain = await makeDomain();
const api = await keyClient({ role: 'admin' });
const held = reserveBodyBudget(api.admin.id);

const { data: template } = await api.post('/templates', {
  domain_id: domain.id,
  name: 'large',
  subject: 'Large',
  text_body: '{% for i in (1..1024) %}{{ line }}{% endfor %}',
  variables: [{ name: 'line', type: 'string' }],
});
await api.post(`/templates/${template.id}/publish`, {});

beforeEach(() => {
  mta.server.messages.length = 0;
});

afterEach(() => held.release());
afterAll(() => mta.server.close());

/** A message of a little more than 1 KB, whose text gets 1 MB. */
const message = {
  from: { email: `shop@${domain.name}` },
  to: [{ email: 'ann@far.example' }],
  template: { id: 'large', variables: { line: `${'x'.repeat(1023)}\n` } },
};

it('counts rendered texts as bodies of the caller', async () => {
  held.take(SHARE - MB / 2);
  expectError(await api.post('/send', message), 503, 'SERVICE_UNAVAILABLE');
  const { data: refused } = await api.post('/send/batch', { messages: [message] });
  expect(refused.results).toMatchObject([{ code: 'SERVICE_UNAVAILABLE' }]);
  expect(mta.server.messages).toEqual([]);
});

it('holds no more of them than are on their way', async () => {
  const room = reserveBodyBudget(api.admin.id);
  room.take(SHARE - 5 * MB);
  const { data } = await api.post('/send/batch', { messages: Array(15).fill(message) }).finally(room.release);
  expect(data).toMatchObject({ succeeded: 15, failed: 0 });
  expect((await api.post('/send', message)).status).toBe(200);
  expect(mta.server.messages).toHaveLength(16);
});

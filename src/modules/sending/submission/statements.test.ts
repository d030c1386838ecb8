import pg from 'pg';
import { afterAll, beforeEach, expect, it, vi } from 'vitest';
import { makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { setSettings } from '@/test/settings';

const mta = await startScriptedMta();
// Counting calls of an address is not a part of sending.
setSettings({ RATE_LIMIT_PER_MINUTE: '0' });

const query = vi.spyOn(pg.Client.prototype, 'query');

afterAll(() => {
  query.mockRestore();
  return mta.server.close();
});

const domain = await makeDomain();
const api = await keyClient({ role: 'admin' });

const message = {
  from: { email: `shop@${domain.name}` },
  to: [{ email: 'ann@far.example' }],
  subject: 'Hello',
  text_body: 'Hi',
};

beforeEach(async () => {
  // The key's first call of a minute stores when it was used.
  await api.get('/auth/me');
  query.mockClear();
});

/** The statements that were sent to Postgres, BEGIN and COMMIT included. */
function statements(): string[] {
  return query.mock.calls.map(([config]) => (typeof config === 'string' ? config : (config as { text: string }).text));
}

it('a send takes three statements: the caller, the message, the outcome', async () => {
  expect((await api.post('/send', message)).status).toBe(200);
  expect(statements()).toEqual([
    expect.stringContaining('api_key'),
    expect.stringContaining('count_sends'),
    expect.stringContaining('record_submissions'),
  ]);
});

it('a batch of 100 messages takes tens of statements', async () => {
  const { data } = await api.post('/send/batch', { messages: Array(100).fill(message) });
  expect(data).toMatchObject({ total: 100, succeeded: 100 });
  expect(statements().length).toBeLessThanOrEqual(50);
});

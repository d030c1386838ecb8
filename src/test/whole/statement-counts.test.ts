import pg from 'pg';
import { afterAll, expect, it, vi } from 'vitest';
import { makeAlias, makeDomain } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { setSettings } from '@/test/settings';

// Counting calls of an address has connections of its own.
setSettings({ RATE_LIMIT_PER_MINUTE: '0' });

const query = vi.spyOn(pg.Client.prototype, 'query');
afterAll(() => query.mockRestore());

const api = await keyClient();
const domain = await makeDomain();
const { id } = await makeAlias(domain.id, 'hello', 'ann@far.example');

it.each([
  ['/version', 0],
  ['/auth/me', 2],
  [`/aliases/${id}`, 2],
  ['/aliases?limit=50', 3],
])('GET %s asks Postgres as often as docs/contributing/performance.md says: %i', async (path, count) => {
  // The first call of a minute stores when the key was used.
  await api.get('/auth/me');
  query.mockClear();
  expect((await api.get(path)).status).toBe(200);
  expect(query).toHaveBeenCalledTimes(count);
});

it('a change without If-Match compares no version, which would be two statements more', async () => {
  const change = async (headers: Record<string, string>) => {
    query.mockClear();
    const body = { active: true };
    expect((await api.call('PATCH', `/aliases/${id}`, { body, headers })).status).toBe(200);
    return query.mock.calls.length;
  };
  await change({});
  const count = await change({});
  expect(count).toBe(12);
  expect(await change({ 'if-match': '*' })).toBe(count + 2);
});

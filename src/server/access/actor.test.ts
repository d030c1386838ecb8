import pg from 'pg';
import { afterAll, expect, it, vi } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { db } from '@/test/database';
import { makeAdmin, makeApiKey, makeDomain, makeSession } from '@/test/factories';
import { systemClock } from '../clock';
import { readCredentials } from '../secrets/credentials';
import { identify } from './actor';

const query = vi.spyOn(pg.Client.prototype, 'query');

afterAll(() => query.mockRestore());

/** The actor for the headers, and the number of statements. */
async function identified(headers: Record<string, string>) {
  query.mockClear();
  const actor = await identify(readCredentials(new Headers(headers)), systemClock);
  return { actor, queries: query.mock.calls.length };
}

async function makeUsedKey(over: { parentId?: string; ancestorIds?: string[] } = {}) {
  const domain = await makeDomain();
  const admin = await makeAdmin({ role: 'domain_admin', domainIds: [domain.id] });
  const { key, row } = await makeApiKey(admin.id, { rateLimit: 9 });
  await db.apiKey.update({ where: { id: row.id }, data: { lastUsedAt: new Date(), ...over } });
  return { id: row.id, headers: { authorization: `Bearer ${key}` } };
}

it('reads an ordinary key with one query', async () => {
  const { id, headers } = await makeUsedKey();
  const { actor, queries } = await identified(headers);
  expect(actor.key).toMatchObject({ id, rateLimit: 9, ancestors: [] });
  expect(queries).toBe(1);
});

it('reads a key created by a key with one query, at any depth', async () => {
  const [top, middle] = [await makeUsedKey(), await makeUsedKey()];
  const { headers } = await makeUsedKey({ parentId: middle.id, ancestorIds: [middle.id, top.id] });
  const { actor, queries } = await identified(headers);
  const ids = actor.key?.ancestors.map((ancestor) => ancestor.id);
  expect(ids?.sort()).toEqual([top.id, middle.id].sort());
  expect(queries).toBe(1);
});

it('reads a key with a scope with one query, without its deleted domains', async () => {
  const [domain, admin] = [await makeDomain(), await makeAdmin({ role: 'admin' })];
  const { key, row } = await makeApiKey(admin.id, { scopedDomainIds: [domain.id, uuidv7()] });
  await db.apiKey.update({ where: { id: row.id }, data: { lastUsedAt: new Date(), writtenTo: 7n } });
  const { actor, queries } = await identified({ authorization: `Bearer ${key}` });
  expect(actor).toMatchObject({ key: { isScoped: true, scopedDomainIds: [domain.id] }, writtenTo: 7n });
  expect(queries).toBe(1);
});

it('notes when a key is used, also after a clock that was ahead', async () => {
  const { row, key } = await makeApiKey((await makeAdmin()).id);
  await db.apiKey.update({ where: { id: row.id }, data: { lastUsedAt: new Date(Date.now() + 3_600_000) } });
  await identified({ authorization: `Bearer ${key}` });
  const { lastUsedAt } = await db.apiKey.findUniqueOrThrow({ where: { id: row.id } });
  expect(Math.abs(Date.now() - Number(lastUsedAt))).toBeLessThan(60_000);
});

it('reads a session with one query', async () => {
  const { cookie } = await makeSession((await makeAdmin()).id);
  expect((await identified({ cookie })).queries).toBe(1);
});

it('reads the keys of calls that come at the same time with one query, each for its own call', async () => {
  const keys = [await makeUsedKey(), await makeUsedKey()];
  query.mockClear();
  const callers = [...keys, ...keys].map(({ headers }) => identify(readCredentials(new Headers(headers)), systemClock));
  const unknown = identify(readCredentials(new Headers({ authorization: 'Bearer service_none' })), systemClock);
  await expect(unknown).rejects.toMatchObject({ apiCode: 'API_KEY_INVALID' });
  const ids = (await Promise.all(callers)).map(({ key }) => key?.id);
  expect(ids).toEqual([...keys, ...keys].map(({ id }) => id));
  expect(query).toHaveBeenCalledTimes(1);
});

it('keeps the plan of the query for keys, for one call and for several at the same time', async () => {
  const keys = [await makeUsedKey(), await makeUsedKey(), await makeUsedKey()];
  const read = (count: number) =>
    Promise.all(
      keys.slice(0, count).map(({ headers }) => identify(readCredentials(new Headers(headers)), systemClock)),
    );
  // The pool takes the connection that was used last, so these share one. Postgres compares plans from the sixth call on.
  for (let call = 0; call < 12; call++) await read((call % 3) + 1);
  const plans = await db.$queryRaw<{ kept: number; made: number }[]>`
    SELECT generic_plans::int AS kept, custom_plans::int AS made
      FROM pg_prepared_statements WHERE statement LIKE '%FROM api_key k JOIN admin a%'`;
  expect(plans).toEqual([{ kept: expect.any(Number), made: 5 }]);
  expect(plans[0]?.kept).toBeGreaterThan(5);
});

it('does not find a key that was revoked while others were being read', async () => {
  const [revoked, other] = [await makeUsedKey(), await makeUsedKey()];
  const credentials = ({ headers }: typeof other) => readCredentials(new Headers(headers));
  const reading = identify(credentials(other), systemClock);
  await db.apiKey.delete({ where: { id: revoked.id } });
  await expect(identify(credentials(revoked), systemClock)).rejects.toMatchObject({ apiCode: 'API_KEY_INVALID' });
  expect((await reading).key?.id).toBe(other.id);
});

import { PrismaPg } from '@prisma/adapter-pg';
import { v7 as uuidv7 } from 'uuid';
import { expect, it, onTestFinished } from 'vitest';
import { db } from '@/test/database';
import { makeAdmin, makeApiKey, makeDomain, makeSession } from '@/test/factories';
import { systemClock } from '../clock';
import { PrismaClient } from '../prisma/client';
import { readCredentials } from '../secrets/credentials';
import { env } from '../settings/env';
import { identify } from './actor';

/** The actor for the headers, and the number of queries. */
async function identified(headers: Record<string, string>) {
  const adapter = new PrismaPg({ connectionString: env().databaseUrl });
  const client = new PrismaClient({ adapter, log: [{ emit: 'event', level: 'query' }] });
  onTestFinished(() => client.$disconnect());
  let queries = 0;
  client.$on('query', () => {
    queries += 1;
  });
  const actor = await identify(client, readCredentials(new Headers(headers)), systemClock);
  return { actor, queries };
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

it('reads a session with one query', async () => {
  const { cookie } = await makeSession((await makeAdmin()).id);
  expect((await identified({ cookie })).queries).toBe(1);
});

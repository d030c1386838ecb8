import { createPrivateKey } from 'node:crypto';
import { Redis } from 'ioredis';
import pg from 'pg';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { createDkimStore } from '@/mail/agent/dkim-store';
import { AGENT_CHANNEL, detach, recordHeartbeat } from '@/modules/mail-server/requests';
import { unseal } from '@/server/secrets/sealing';
import { db } from '@/test/database';
import { makeDkimKey, makeDomain, makeMany, unique } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { makeRedis } from '@/test/servers/redis';
import { dkimKeyBinding } from './keys';
import { publishDkimKeys } from './publish';

beforeEach(async () => {
  await db.domain.deleteMany();
});

/** The mail server's Redis, and a connection to it configured like the agent's. */
async function makeMailServer() {
  const server = await makeRedis();
  await server.start();
  const redis = new Redis(server.url, { enableOfflineQueue: false, maxRetriesPerRequest: 0, retryStrategy: () => 50 });
  redis.on('error', () => {});
  onTestFinished(() => redis.disconnect());
  await expect.poll(() => redis.status).toBe('ready');
  const store = createDkimStore(redis);
  const publish = () => publishDkimKeys(db, store);
  const held = async () => ({
    keys: await redis.hgetall('dkim_keys'),
    selectors: await redis.hgetall('dkim_selectors'),
  });
  return { server, redis, store, publish, held };
}

async function makeSigned(selector: string) {
  const domain = await makeDomain();
  const key = await makeDkimKey(domain.id, { selector });
  return { ...domain, key };
}

/** The expected content of Redis, derived from Postgres. */
async function expected() {
  const rows = await db.dkimKey.findMany({ where: { status: 'active' }, include: { domain: true } });
  return {
    names: rows.map(({ selector, domain }) => `${selector}.${domain.name}`).toSorted(),
    selectors: Object.fromEntries(rows.map(({ selector, domain }) => [domain.name, selector])),
  };
}

async function expectExact({ held }: { held: () => Promise<{ keys: object; selectors: object }> }) {
  const { keys, selectors } = await held();
  expect({ names: Object.keys(keys).toSorted(), selectors }).toEqual(await expected());
}

const publishedAt = async (id: string) => (await db.dkimKey.findUniqueOrThrow({ where: { id } })).publishedAt;

/** Activates a key through the API. */
async function activate(domainId: string, selector: string) {
  const api = await keyClient({ role: 'admin' });
  expect((await api.post(`/domains/${domainId}/dkim/${selector}/activate`)).status).toBe(200);
}

describe('publishing', () => {
  it('publishes the active keys in the format Rspamd reads, and records when', async () => {
    const mail = await makeMailServer();
    const api = await keyClient({ role: 'admin' });
    const { data: rsa } = await api.post('/domains', { name: `${unique()}.example` });
    const ed = await makeSigned('ed');
    await makeDkimKey(ed.id, { selector: 'next', status: 'pending' });
    await makeDkimKey(ed.id, { selector: 'last', status: 'retired' });
    await mail.publish();
    await expectExact(mail);

    const { keys } = await mail.held();
    const rsaRow = await db.dkimKey.findFirstOrThrow({ where: { domainId: rsa.id } });
    expect(keys[`${rsa.dkim_selector}.${rsa.name}`]).toBe(unseal(dkimKeyBinding(rsaRow.id), rsaRow.privateKey));
    const pair = Buffer.from(keys[`ed.${ed.name}`] ?? '', 'base64');
    const { d } = createPrivateKey(unseal(dkimKeyBinding(ed.key.id), ed.key.privateKey)).export({ format: 'jwk' });
    expect(pair).toHaveLength(64);
    expect(pair.subarray(0, 32).toString('base64url')).toBe(d);
    expect(pair.subarray(32).toString('base64')).toBe(ed.key.publicKey);

    expect((await api.get(`/domains/${rsa.id}/dkim`)).data[0].published_at).toEqual(expect.any(String));
    const published = await db.dkimKey.findMany({ where: { domainId: ed.id, publishedAt: { not: null } } });
    expect(published.map(({ selector }) => selector)).toEqual(['ed']);
  });

  it('reaches the mail servers of several hosts, each with its own agent and Redis', async () => {
    const servers = [await makeMailServer(), await makeMailServer()];
    const domain = await makeSigned('first');
    for (const server of servers) await server.publish();
    await makeDkimKey(domain.id, { selector: 'second', status: 'pending' });
    await activate(domain.id, 'second');
    for (const server of servers) {
      await server.publish();
      await expectExact(server);
    }
  });

  it('costs the same number of Redis commands for many unchanged keys as for one, and keeps their dates', async () => {
    const mail = await makeMailServer();
    const { key } = await makeSigned('one');
    const commandsOf = async (work: () => Promise<void>) => {
      const before = await mail.server.commandCount();
      await work();
      return (await mail.server.commandCount()) - before;
    };
    const idle = () => commandsOf(async () => {});
    await mail.publish();
    const since = await publishedAt(key.id);
    const forOne = (await commandsOf(mail.publish)) - (await idle());
    for (let i = 0; i < 20; i++) await makeSigned('more');
    await mail.publish();
    expect((await commandsOf(mail.publish)) - (await idle())).toBe(forOne);
    expect(forOne).toBeLessThan(10);
    expect(await publishedAt(key.id)).toEqual(since);
  });

  it('follows a rotation and a reactivation', async () => {
    const mail = await makeMailServer();
    const domain = await makeSigned('first');
    const next = await makeDkimKey(domain.id, { selector: 'second', status: 'pending' });
    await mail.publish();
    await activate(domain.id, 'second');
    await mail.publish();
    await expectExact(mail);
    expect(await publishedAt(domain.key.id)).toBeNull();
    expect(await publishedAt(next.id)).not.toBeNull();
    await activate(domain.id, 'first');
    await mail.publish();
    await expectExact(mail);
    expect(await publishedAt(next.id)).toBeNull();
  });

  it('removes the key of a deleted domain, and replaces it if the domain is recreated with the same selector', async () => {
    const mail = await makeMailServer();
    const [kept, deleted] = [await makeSigned('kept'), await makeSigned('same')];
    await mail.publish();
    const before = (await mail.held()).keys[`same.${deleted.name}`];
    await db.domain.delete({ where: { id: deleted.id } });
    await mail.publish();
    expect(Object.keys((await mail.held()).keys)).toEqual([`kept.${kept.name}`]);

    const again = await makeDomain({ name: deleted.name });
    await makeDkimKey(again.id, { selector: 'same' });
    await mail.publish();
    await db.domain.delete({ where: { id: again.id } });
    const third = await makeDomain({ name: deleted.name });
    const { publicKey } = await makeDkimKey(third.id, { selector: 'same' });
    await mail.publish();
    await expectExact(mail);
    const after = (await mail.held()).keys[`same.${deleted.name}`] ?? '';
    expect(after).not.toBe(before);
    expect(Buffer.from(after, 'base64').subarray(32).toString('base64')).toBe(publicKey);
  });

  it.each(['everything', 'dkim_keys', 'dkim_selectors'])('restores a Redis that lost %s', async (lost) => {
    const mail = await makeMailServer();
    for (let i = 0; i < 3; i++) await makeSigned('one');
    await mail.publish();
    const before = await mail.held();
    await (lost === 'everything' ? mail.redis.flushall() : mail.redis.del(lost));
    await mail.publish();
    expect(await mail.held()).toEqual(before);
  });

  it('removes keys that it did not publish', async () => {
    const mail = await makeMailServer();
    const domain = await makeSigned('one');
    await mail.redis.hset('dkim_keys', `old.${domain.name}`, 'x', 'old.other.example', 'x');
    await mail.redis.hset('dkim_selectors', domain.name, 'old', 'other.example', 'old');
    await mail.publish();
    await expectExact(mail);
  });

  it('publishes many keys in batches', async () => {
    const mail = await makeMailServer();
    await makeMany(205, () => makeSigned('many'));
    await mail.publish();
    await expectExact(mail);
    expect(await db.dkimKey.count({ where: { publishedAt: null } })).toBe(0);
  });
});

describe('publishing with failures', () => {
  it('throws while Redis is down, and succeeds once Redis is back and empty', async () => {
    const mail = await makeMailServer();
    await makeSigned('one');
    await mail.publish();
    await mail.server.kill();
    await makeSigned('two');
    await expect(mail.publish()).rejects.toThrow();
    await mail.server.start();
    await expect.poll(() => mail.publish().then(() => 'done', String)).toBe('done');
    await expectExact(mail);
  });

  it.each(['put', 'removeOthers'] as const)('is repeated after an interruption at %s', async (at) => {
    const mail = await makeMailServer();
    const domain = await makeSigned('first');
    await mail.publish();
    await makeDkimKey(domain.id, { selector: 'second', status: 'pending' });
    await activate(domain.id, 'second');
    const interrupt = async () => {
      throw new Error('interrupted');
    };
    await expect(publishDkimKeys(db, { ...mail.store, [at]: interrupt })).rejects.toThrow('interrupted');
    await activate(domain.id, 'first');
    await mail.publish();
    await expectExact(mail);
    expect(await publishedAt(domain.key.id)).not.toBeNull();
  });

  it('keeps the previous key of one that cannot be decrypted, publishes the others, and throws', async () => {
    const mail = await makeMailServer();
    const domain = await makeSigned('first');
    const lost = await makeDkimKey(domain.id, { selector: 'second', status: 'pending' });
    await mail.publish();
    await db.dkimKey.update({ where: { id: lost.id }, data: { privateKey: new Uint8Array(64) } });
    await activate(domain.id, 'second');
    const other = await makeSigned('other');
    await expect(mail.publish()).rejects.toThrow(
      /^DKIM keys that can't be decrypted: 1\. Add the key that encrypted them to SECRET_KEY/,
    );
    const { selectors } = await mail.held();
    expect(selectors).toEqual({ [domain.name]: 'first', [other.name]: 'other' });
    expect(await publishedAt(other.key.id)).not.toBeNull();
    expect(await publishedAt(lost.id)).toBeNull();
  });

  it('converges when several instances publish while keys change', async () => {
    const mail = await makeMailServer();
    const domains = await Promise.all(Array.from({ length: 5 }, () => makeSigned('first')));
    for (const { id } of domains) await makeDkimKey(id, { selector: 'second', status: 'pending' });
    const [deleted, changed] = [domains.slice(0, 2), domains.slice(2)];
    await Promise.all([
      ...deleted.map(({ id }) => db.domain.delete({ where: { id } })),
      ...changed.map(({ id }) => activate(id, 'second')),
      ...Array.from({ length: 8 }, () => mail.publish()),
    ]);
    await mail.publish();
    await expectExact(mail);
  });
});

describe('with an agent', () => {
  /** A mail server whose agent publishes keys after each notification, unless it is paused. */
  async function makeAttached() {
    const mail = await makeMailServer();
    const agent = { host: `${unique()}.example`, instance: uuidv7(), version: '1' };
    await recordHeartbeat(db, agent);
    const listener = new pg.Client(process.env.DATABASE_URL);
    await listener.connect();
    await listener.query(`LISTEN ${AGENT_CHANNEL}`);
    const paused = { is: false };
    let publishing: Promise<unknown> = Promise.resolve();
    listener.on('notification', () => {
      if (!paused.is) publishing = publishing.then(mail.publish);
    });
    onTestFinished(async () => {
      await listener.end();
      await publishing;
      await detach(db, agent);
    });
    return { ...mail, agent, paused };
  }

  it('a domain that is created, restored or gets another key is signed as soon as the call returns', async () => {
    const mail = await makeAttached();
    const api = await keyClient({ role: 'admin' });
    const { data: domain } = await api.post('/domains', { name: `${unique()}.example` });
    expect((await mail.held()).selectors).toEqual({ [domain.name]: domain.dkim_selector });

    const { data: key } = await api.post(`/domains/${domain.id}/dkim/rotate`, { algorithm: 'ed25519' });
    const activated = await api.post(`/domains/${domain.id}/dkim/${key.selector}/activate`);
    expect(activated.data.published_at).toEqual(expect.any(String));
    expect((await mail.held()).selectors).toEqual({ [domain.name]: key.selector });

    await api.delete(`/domains/${domain.id}`);
    await expect.poll(async () => (await mail.held()).selectors).toEqual({});
    const [deleted] = (await api.get(`/deleted-records?q=${domain.name}`)).data;
    await api.post(`/deleted-records/${deleted.id}/restore`);
    expect((await mail.held()).selectors).toEqual({ [domain.name]: key.selector });
  });

  it('that publishes nothing, the call returns after 3 seconds; without one, immediately', async () => {
    const { agent, paused } = await makeAttached();
    paused.is = true;
    const api = await keyClient({ role: 'admin' });
    const secondsOf = async (work: () => Promise<{ status: number }>, status: number) => {
      const from = performance.now();
      expect((await work()).status).toBe(status);
      return (performance.now() - from) / 1000;
    };
    expect(await secondsOf(() => api.post('/domains', { name: `${unique()}.example` }), 201)).toBeGreaterThan(2.9);
    const domain = await makeSigned('first');
    for (const selector of ['second', 'third']) {
      await makeDkimKey(domain.id, { selector, status: 'retired', at: new Date() });
    }
    await db.dkimKey.updateMany({ where: { domainId: domain.id }, data: { publishedAt: new Date() } });
    const activated = await api.post(`/domains/${domain.id}/dkim/second/activate`);
    expect(activated.data).toMatchObject({ status: 'active', published_at: null });
    await detach(db, agent);
    // No key is made, which takes long on a busy machine.
    expect(await secondsOf(() => api.post(`/domains/${domain.id}/dkim/third/activate`), 200)).toBeLessThan(2.5);
  });
});

it('notifies the agent when a change is committed', async () => {
  const listener = new pg.Client(process.env.DATABASE_URL);
  await listener.connect();
  onTestFinished(() => listener.end());
  let kicks = 0;
  listener.on('notification', () => {
    kicks += 1;
  });
  await listener.query(`LISTEN ${AGENT_CHANNEL}`);
  const api = await keyClient({ role: 'admin' });
  const { data: domain } = await api.post('/domains', { name: `${unique()}.example` });
  await expect.poll(() => kicks).toBe(1);
  const { data: key } = await api.post(`/domains/${domain.id}/dkim/rotate`, { algorithm: 'ed25519' });
  await activate(domain.id, key.selector);
  await expect.poll(() => kicks).toBe(2);
  await api.delete(`/domains/${domain.id}`);
  await expect.poll(() => kicks).toBe(3);
});

import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { startReplicatedPostgres } from '@/test/servers/replicated-postgres';

import { startTcpRelay } from '@/test/servers/tcp-relay';
import { startTemporaryPostgres } from '../../../scripts/postgres/temporary-postgres.mjs';

const { replica, replicaUrl } = await startReplicatedPostgres();
const { db } = await import('@/test/database');
const { makeAdmin, makeApiKey, makeDomain } = await import('@/test/factories');
const { expectError, keyClient, sessionClient } = await import('@/test/rest');
const { emit } = await import('@/test/events');
const { makeMessage } = await import('@/test/mail/reported-message');
const { checkDatabase } = await import('@/modules/system/health/database');
const { getHealth } = await import('@/modules/system/service');
const { createContext } = await import('../procedures/context');
const { sequenceEvents } = await import('@/modules/events/sequence');
const { poolFigures } = await import('../metrics/pools');
const { readDatabase, toDatabase } = await import('../database/db');
const { checkReplica, databaseFor, followReplica } = await import('./reads');

const NEVER_MS = 3_600_000;

let stop = async () => {};
const follow = async (options: { url?: string; maxLagMs?: number } = {}) => {
  stop = await followReplica({ maxLagMs: NEVER_MS, ...options });
};

beforeEach(async () => {
  await follow();
  await caughtUp();
});

afterEach(async () => {
  await onReplica('SELECT pg_wal_replay_resume()').catch(() => {});
  await stop();
});

async function onReplica(statement: string, values: unknown[] = []) {
  const client = new pg.Client(replicaUrl);
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(statement, values)).rows;
  } finally {
    await client.end();
  }
}

/** The replica has replayed what the primary has written so far, and the instance knows. */
async function caughtUp(): Promise<void> {
  const [row] = await db.$queryRaw<[{ lsn: string }]>`SELECT pg_current_wal_insert_lsn()::text AS lsn`;
  const hasReplayed = async () =>
    (await onReplica('SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS yes', [row.lsn]))[0].yes;
  await expect.poll(hasReplayed).toBe(true);
  await expect.poll(() => checkReplica()[0]?.status).toBe('ok');
}

/** Changes after it are on the primary only, so a read shows where it went. */
async function pause(): Promise<void> {
  await caughtUp();
  await onReplica('SELECT pg_wal_replay_pause()');
  await expect
    .poll(async () => (await onReplica('SELECT pg_get_wal_replay_pause_state() AS state'))[0].state)
    .toBe('paused');
}

const describeAs = (id: string, description: string) => db.domain.update({ where: { id }, data: { description } });

/** A client that has read before, as the first read of each goes to the primary. */
async function reader() {
  const [api, domain] = [await keyClient(), await makeDomain()];
  const path = `/domains/${domain.id}`;
  await api.get(path);
  return { api, domain, path, described: async () => (await api.get(path)).data.description as string };
}

describe('reads', () => {
  it('of a key and of a session come from the replica: records, lists, searches and statistics', async () => {
    const { api, domain, described } = await reader();
    const browser = await sessionClient();
    await browser.get('/auth/me');
    await pause();
    await describeAs(domain.id, 'changed behind its back');
    expect(await described()).toBe('');
    expect((await browser.get(`/domains/${domain.id}`)).data.description).toBe('');
    expect((await browser.get(`/domains?q=${domain.name}`)).data[0].description).toBe('');
    await makeDomain({ name: `new-${domain.name}` });
    expect((await api.get(`/domains?q=new-${domain.name}`)).data).toEqual([]);
    await makeMessage(domain, 'sent', ['ann@far.example']);
    expect((await api.get(`/analytics?period=90d&domain_id=${domain.id}`)).data.totals.sent).toBe(0);
  });

  it('of a client that changed something come from the primary until the replica has the change', async () => {
    const { api, domain, path, described } = await reader();
    const other = await reader();
    await pause();
    await api.patch(path, { description: 'changed' });
    expect(await described()).toBe('changed');
    await describeAs(other.domain.id, 'changed by somebody else');
    expect(await other.described()).toBe('');

    await onReplica('SELECT pg_wal_replay_resume()');
    await pause();
    expect(await described()).toBe('changed');
    await describeAs(domain.id, 'changed behind its back');
    expect(await described()).toBe('changed');
  });

  it('of a client show what it changed in a call that was refused', async () => {
    const { api, domain } = await reader();
    await pause();
    expectError(await api.post('/domains', { name: domain.name }), 409, 'DOMAIN_EXISTS');
    const { data } = await api.get(`/audit?outcome=denied&api_key_id=${api.keyId}`);
    expect(data).toHaveLength(1);
  });

  it('of a client show what a query of it has written, such as the audit entry of a download', async () => {
    const { api } = await reader();
    const writtenTo = async () => (await db.apiKey.findUniqueOrThrow({ where: { id: api.keyId } })).writtenTo ?? 0n;
    const before = await writtenTo();
    await api.get('/domains');
    expect(await writtenTo()).toBe(before);
    expect((await api.get('/audit/verify')).status).toBe(200);
    expect(await writtenTo()).toBeGreaterThan(before);
  });

  it('of a new key or session show what was there before the first of them', async () => {
    await pause();
    const domain = await makeDomain();
    for (const api of [await keyClient(), await sessionClient()])
      expect((await api.get(`/domains/${domain.id}`)).status).toBe(200);
  });

  it('take credentials, role and assigned domains from the primary', async () => {
    const domain = await makeDomain();
    const revoked = await keyClient();
    const ended = await sessionClient();
    const demoted = await keyClient();
    const removed = await keyClient({ role: 'domain_admin', domainIds: [domain.id] });
    for (const api of [revoked, ended, demoted, removed]) await api.get(`/domains/${domain.id}`);
    await pause();
    await db.apiKey.delete({ where: { id: revoked.keyId } });
    await db.session.delete({ where: { id: ended.session.id } });
    await db.admin.update({ where: { id: demoted.admin.id }, data: { role: 'admin' } });
    await db.adminDomain.deleteMany({ where: { adminId: removed.admin.id } });
    expectError(await revoked.get('/domains'), 401, 'API_KEY_INVALID');
    expectError(await ended.get('/domains'), 401, 'SESSION_INVALID');
    expectError(await demoted.get('/audit/export?format=ndjson'), 403, 'FORBIDDEN');
    expectError(await removed.get(`/domains/${domain.id}`), 404, 'NOT_FOUND');
  });

  it('of the feed come from the primary, so that no event is skipped and no cursor unknown', async () => {
    const { api, domain } = await reader();
    await pause();
    const id = await emit(domain.id);
    await sequenceEvents(db);
    const page = await api.get(`/events?domain_id=${domain.id}`);
    expect(page.data.map(({ body }: { body: { id: string } }) => body.id)).toEqual([id]);
    expect((await api.get(`/events?after=${page.meta.pagination?.next_cursor}`)).status).toBe(200);
  });

  it('that ask for a table which the replica does not have yet are answered by the primary', async () => {
    const admin = await makeAdmin();
    const { row } = await makeApiKey(admin.id);
    await pause();
    await db.$executeRaw`CREATE TABLE newer AS SELECT 7 AS answer`;
    onTestFinished(async () => void (await db.$executeRaw`DROP TABLE newer`));
    const database = await databaseFor(actorOf(row.id, 0n));
    expect(database).not.toBe(readDatabase());
    expect(await database.$queryRaw`SELECT answer FROM newer`).toEqual([{ answer: 7 }]);
    await expect(database.$queryRaw`SELECT answer FROM nowhere`).rejects.toThrow('nowhere');
    expect(checkReplica()).toMatchObject([{ status: 'ok' }]);
  });

  it('cannot write, with or without a replica', async () => {
    const { row } = await makeApiKey((await makeAdmin()).id);
    const create = { data: { name: 'written.example' } };
    for (const database of [readDatabase(), await databaseFor(actorOf(row.id, 0n))])
      await expect(database.domain.create(create)).rejects.toThrow('read-only transaction');
  });
});

describe('a replica', () => {
  it('that is killed while it is read costs no request an error, and is read again once it is back', async () => {
    const clients = await Promise.all([reader(), reader(), reader()]);
    let isDone = false;
    const statuses: number[] = [];
    const lanes = clients.map(async ({ api }) => {
      while (!isDone) statuses.push((await api.get('/domains?limit=5')).status);
    });
    const { row } = await makeApiKey((await makeAdmin()).id);
    const slow = (await databaseFor(actorOf(row.id, 0n))).$queryRaw`SELECT 7 AS answer FROM pg_sleep(2)`.then();
    await replica.kill();
    expect(await slow).toEqual([{ answer: 7 }]);
    await expect.poll(() => checkReplica()).toMatchObject([{ name: 'read_replica', status: 'degraded' }]);
    await replica.start();
    await expect.poll(() => checkReplica()[0]?.status).toBe('ok');
    isDone = true;
    await Promise.all(lanes);
    expect(new Set(statuses)).toEqual(new Set([200]));
    const { domain, described } = await reader();
    await pause();
    await describeAs(domain.id, 'changed behind its back');
    expect(await described()).toBe('');
  });

  it('that hangs costs no request an error, and is read again once it answers', async () => {
    const relay = await startTcpRelay(Number(new URL(replicaUrl).port));
    onTestFinished(relay.close);
    await stop();
    await follow({
      url: Object.assign(new URL(process.env.DATABASE_READ_URL as string), { port: String(relay.port) }).href,
    });
    await caughtUp();
    const { row } = await makeApiKey((await makeAdmin()).id);
    const database = await databaseFor(actorOf(row.id, 0n));
    expect(database).not.toBe(readDatabase());
    await database.$queryRaw`SELECT 1`;
    expect(poolFigures()).toContainEqual(expect.objectContaining({ pool: 'replica', inUse: 0, idle: 1 }));
    relay.cut();
    expect(await database.$queryRaw`SELECT 7 AS answer`).toEqual([{ answer: 7 }]);
    expect(checkReplica()).toMatchObject([{ status: 'degraded' }]);
    relay.restore();
    await expect.poll(() => checkReplica()[0]?.status).toBe('ok');
  });

  it('is not taken for one that is away while its connections are all in use', async () => {
    const { row } = await makeApiKey((await makeAdmin()).id);
    const database = await databaseFor(actorOf(row.id, 0n));
    const slow = Promise.all(Array.from({ length: 10 }, () => database.$queryRaw`SELECT 1 FROM pg_sleep(3)`));
    expect(await database.$queryRaw`SELECT 7 AS answer`).toEqual([{ answer: 7 }]);
    expect(checkReplica()).toMatchObject([{ status: 'ok' }]);
    await slow;
  });

  it('that lags is not read until it has caught up, and the health check says so', async () => {
    const { domain, described } = await reader();
    await stop();
    await follow({ maxLagMs: 1_500 });
    await caughtUp();
    await pause();
    await describeAs(domain.id, 'on the primary');
    await expect.poll(described).toBe('on the primary');
    expect(checkReplica()).toMatchObject([
      { status: 'degraded', message: expect.stringMatching(/^It is \d+ seconds behind/) },
    ]);
    await onReplica('SELECT pg_wal_replay_resume()');
    await expect.poll(() => checkReplica()[0]?.status).toBe('ok');
  });

  it('shows its lag in the check of replication too', async () => {
    await pause();
    const lagOf = async () => {
      await makeDomain();
      const found = (await checkDatabase(db)).find(({ name }) => name === 'database_replication');
      return found?.value ?? 0;
    };
    await expect.poll(lagOf).toBeGreaterThan(1);
  });

  it('has no known lag, instead of none, for a role that may not see it', async () => {
    await db.$executeRaw`CREATE ROLE plain LOGIN PASSWORD 'plain'`;
    const url = Object.assign(new URL(process.env.DATABASE_URL as string), { username: 'plain', password: 'plain' });
    const plain = toDatabase(new PrismaPg({ connectionString: url.href }));
    onTestFinished(() => plain.$disconnect());
    const findings = await checkDatabase(plain);
    expect(findings.find(({ name }) => name === 'database_replication')).toMatchObject({
      status: 'unknown',
      message: expect.stringContaining('pg_read_all_stats'),
    });
    await db.$executeRaw`GRANT pg_read_all_stats TO plain`;
    expect((await checkDatabase(plain)).find(({ name }) => name === 'database_replication')?.status).toBe('ok');
  });
});

describe('a server that is no replica of the primary', () => {
  const problemOf = async (url?: string) => {
    await stop();
    await follow({ url });
    const [finding] = checkReplica();
    expect(finding?.status).toBe('degraded');
    return finding?.message;
  };

  it('is not read: another server, or the primary itself', async () => {
    const other = await startTemporaryPostgres();
    onTestFinished(other.stop);
    expect(await problemOf(other.adminUrl)).toBe('It is not a replica of the database at DATABASE_URL.');
    expect(await problemOf(process.env.DATABASE_URL)).toBe('It is not a replica: it accepts changes itself.');
    const { described } = await reader();
    expect(await described()).toBe('');
  });

  // The last test, since it ends the replica.
  it('is not read once it was promoted; as the database at DATABASE_URL, it makes an instance ready then', async () => {
    const { domain, described } = await reader();
    const standby = toDatabase(new PrismaPg({ connectionString: replicaUrl }));
    onTestFinished(() => standby.$disconnect());
    const ctx = { ...createContext(new Request('http://localhost:3000')), db: standby };
    expect([await getHealth(ctx), ctx.response.status]).toEqual([{ status: 'down' }, 503]);
    await onReplica('SELECT pg_promote()');
    expect(await getHealth(ctx)).toEqual({ status: 'ok' });
    await describeAs(domain.id, 'on the primary');
    await expect.poll(() => checkReplica()[0]?.message).toBe('It is not a replica: it accepts changes itself.');
    expect(await described()).toBe('on the primary');
  });
});

function actorOf(keyId: string, writtenTo: bigint) {
  return { key: { id: keyId }, writtenTo } as unknown as Parameters<typeof databaseFor>[0];
}

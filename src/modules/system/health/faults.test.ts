import { hostname } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { afterAll, afterEach, beforeEach, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { HEALTH_CHECKS } from '@/lib/health/catalog';
import type { Finding } from '@/lib/health/finding';
import { uuidv7 } from '@/lib/uuid';
import { joinCluster } from '@/modules/cluster/heartbeat';
import { createDeliverer } from '@/modules/webhooks/delivery/deliverer';
import { toDatabase } from '@/server/database/db';
import { applySaved, env } from '@/server/settings/env';
import { db } from '@/test/database';
import { makeWebhook } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { ok, scriptedEndpoint } from '@/test/servers/scripted-endpoint';
import { taskContext } from '@/test/tasks';
import { checkDatabase } from './database';
import { recordFindings, updateAlerts } from './record';
import { checkClock, checkInstance, checkSystem } from './run';
import { checkWork } from './work';

const api = await keyClient();
const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
afterAll(() => client.end());

beforeEach(async () => {
  await db.alert.deleteMany();
  await db.healthCheck.deleteMany();
});
afterEach(() => vi.useRealTimers());

const find = (findings: Finding[], name: string) => findings.find((finding) => finding.name === name);
const openAlerts = async () => (await api.get('/abuse/alerts?status=open')).data;

/** Stores results as if each had lasted for a minute. @returns the open alerts */
async function lasting(check: () => Promise<Finding[]>) {
  for (let run = 0; run < 2; run++) {
    await recordFindings(db, await check());
    await db.$executeRaw`
      UPDATE health_check SET since = since - interval '1 minute', problem_since = problem_since - interval '1 minute'`;
  }
  await recordFindings(db, await check());
  await updateAlerts(db, new Date());
  return openAlerts();
}

describe('a clock that differs from the database’s', () => {
  it.each([
    [5, 'degraded'],
    [-5, 'degraded'],
    [60, 'down'],
    [-3_600, 'down'],
    [0, 'ok'],
  ] as const)('by %i seconds is %s', async (seconds, status) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1000 });
    const leave = await joinCluster(db, ['web', 'worker']);
    const [finding] = await checkClock(db, 'mx1:3000');
    vi.useRealTimers();
    await leave();
    expect(finding).toMatchObject({ name: 'clock', subject: 'mx1:3000', status });
  });

  it('is reported of each instance, even of several on one host, and the disk of the host once', async () => {
    const leave = await joinCluster(db, ['web', 'worker']);
    for (const port of ['3001', '3002']) {
      process.env.PORT = port;
      // The environment is read again with other saved settings.
      applySaved({ EVENT_RETENTION_DAYS: port });
      await checkInstance(taskContext(db));
    }
    delete process.env.PORT;
    applySaved({});
    await leave();
    const found = await db.healthCheck.findMany({ where: { name: { in: ['clock', 'disk'] } } });
    const host = hostname();
    expect(found.map(({ name, subject }) => `${name} ${subject}`).toSorted()).toEqual([
      `clock ${host}:3001`,
      `clock ${host}:3002`,
      `disk ${host}`,
    ]);
  });
});

describe('a transaction that a client holds open for too long', () => {
  const entry = HEALTH_CHECKS.database_transaction;
  const { limits } = entry;
  afterEach(() => {
    entry.limits = limits;
  });

  it('opens an alert that says how to end it, which closes once it has ended', async () => {
    // Its own limit is five minutes.
    entry.limits = { is: 'above', degraded: 1, down: 3_600 };
    await client.query('BEGIN');
    await client.query('SELECT 1');
    const status = async () => find(await checkDatabase(db), 'database_transaction')?.status;
    await expect.poll(status).toBe('degraded');
    expect(await lasting(() => checkDatabase(db))).toMatchObject([
      { kind: 'system_degraded', message: expect.stringContaining('pg_terminate_backend') },
    ]);
    await client.query('ROLLBACK');
    await expect.poll(status).toBe('ok');
    // Another transaction can take a second on a busy machine.
    entry.limits = limits;
    expect(await lasting(() => checkDatabase(db))).toEqual([]);
  });
});

describe('a database that accepts no connections', () => {
  it('is down with the reason, and ok once it accepts them', async () => {
    const name = new URL(env().databaseUrl).pathname.slice(1);
    await administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
    await administer(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}' AND pid <> ${await ownPid()}`,
    );
    const [down, ...others] = await checkDatabase(db);
    await administer(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`);
    expect(down).toMatchObject({ name: 'database', status: 'down', value: null });
    expect(down?.message).not.toBe('');
    expect(others).toEqual([]);
    await expect.poll(async () => find(await checkDatabase(db), 'database')?.status).toBe('ok');
  });

  it('leaves no failure of a check unhandled, which would end the process', async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    const refused = toDatabase(new PrismaPg({ connectionString: 'postgresql://postroom@127.0.0.1:9/postroom' }));
    onTestFinished(() => refused.$disconnect());
    await expect(checkInstance(taskContext(refused))).rejects.toThrow();
    await expect(checkSystem(taskContext(refused))).rejects.toThrow();
    // Node.js reports them after the current turn.
    await setImmediate();
    expect(unhandled).toEqual([]);
  });
});

describe('webhook deliveries that pile up', () => {
  it('open alerts about their number and age, which close once they are delivered', async () => {
    const { id: webhookId } = await makeWebhook();
    const events = Array.from({ length: 1_001 }, () => ({ id: uuidv7(), type: 'mail.sent', body: '{}', bodyBytes: 2 }));
    await db.event.createMany({ data: events });
    const nextAttemptAt = new Date(Date.now() - 180_000);
    await db.webhookDelivery.createMany({ data: events.map(({ id }) => ({ webhookId, eventId: id, nextAttemptAt })) });
    const open = await lasting(() => checkWork(db));
    expect(open.map(({ subject }: { subject: string }) => subject).toSorted()).toEqual([
      'Oldest webhook delivery that is due',
      'Webhook deliveries that are due',
    ]);
    const { post } = scriptedEndpoint(() => ok());
    await createDeliverer({ db, post, now: () => new Date() }).sweep(30_000);
    expect(find(await checkWork(db), 'webhooks')).toMatchObject({ value: 0, status: 'ok' });
    expect(await lasting(() => checkWork(db))).toEqual([]);
    await db.webhook.deleteMany();
  });
});

async function ownPid(): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return rows[0]?.pid ?? 0;
}

async function administer(statement: string): Promise<void> {
  const connection = new pg.Client(inject('adminUrl'));
  await connection.connect();
  await connection.query(statement);
  await connection.end();
}

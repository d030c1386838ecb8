import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Finding, measured, probed } from '@/lib/health/finding';
import { uuidv7 } from '@/lib/uuid';
import { readGreeting } from '@/mail/agent/health/greeting';
import { checkDisk, checkMemory } from '@/server/machine';
import { db } from '@/test/database';
import { makeNode } from '@/test/factories';
import { keyClient } from '@/test/rest';
import { runTask, sharedTask, taskContext } from '@/test/tasks';
import type { HealthCheck } from '../schema';
import { systemTasks } from '../tasks';
import { checkDatabase } from './database';
import { recordFindings, updateAlerts } from './record';
import { checkInstance } from './run';
import { SYSTEM_TASK } from './scheduled-tasks';
import { checkWork } from './work';

const api = await keyClient();
const client = new pg.Client(process.env.DATABASE_URL);
await client.connect();
afterAll(() => client.end());

beforeEach(async () => {
  await db.alert.deleteMany();
  await db.healthCheck.deleteMany();
  await db.healthSample.deleteMany();
  await db.event.deleteMany();
  await db.scheduledTask.deleteMany();
});

const system = sharedTask(systemTasks, SYSTEM_TASK);
/** Runs the checks of this instance, and those of the whole system if they are due. */
const runChecks = () => Promise.all([checkInstance(taskContext(db)), runTask(db, system, { ifDue: true })]);
const find = (findings: Finding[], name: string) => findings.find((finding) => finding.name === name);
const health = async () => (await api.get('/system/health')).data as { status: string; checks: HealthCheck[] };
const openAlerts = async () => (await api.get('/abuse/alerts?status=open')).data;
/** As if every status had lasted for a minute. */
const later = () => db.$executeRaw`
  UPDATE health_check SET since = now() - interval '1 minute',
                          problem_since = least(problem_since, now() - interval '1 minute')`;

describe('the database', () => {
  it('is ok with its response time, connections and transactions', async () => {
    const findings = await checkDatabase(db);
    expect(findings.map(({ name }) => name)).toEqual(['database', 'database_connections', 'database_transaction']);
    expect(find(findings, 'database')).toMatchObject({ status: 'ok', latencyMs: expect.any(Number) });
    expect(find(findings, 'database_connections')?.value).toBeGreaterThan(0);
  });

  it('has the age of the oldest transaction that a client holds open', async () => {
    await client.query('BEGIN');
    await client.query('SELECT 1, pg_sleep(1.1)');
    const findings = await checkDatabase(db);
    await client.query('ROLLBACK');
    expect(find(findings, 'database_transaction')?.value).toBeGreaterThanOrEqual(1);
  });

  it('has no negative age for transactions that began after the check', async () => {
    let isDone = false;
    const begin = async () => {
      while (!isDone) await client.query('BEGIN; SELECT pg_sleep(0.001); COMMIT');
    };
    const beginning = begin();
    const ages: unknown[] = [];
    for (let i = 0; i < 50; i += 1) ages.push(find(await checkDatabase(db), 'database_transaction')?.value);
    isDone = true;
    await beginning;
    expect(ages.filter((age) => Number(age) < 0)).toEqual([]);
  });

  it('is down if it does not answer', async () => {
    const gone = { $queryRaw: () => Promise.reject(new Error('connection refused')) } as unknown as typeof db;
    expect(await checkDatabase(gone)).toMatchObject([
      { name: 'database', status: 'down', message: 'connection refused' },
    ]);
  });
});

describe('what waits', () => {
  it('is counted with its age: deliveries that are due, and audit entries that are not sealed', async () => {
    const webhook = await db.webhook.create({
      data: { url: 'https://a.example', events: [], secret: new Uint8Array(8), createdBy: uuidv7() },
    });
    const event = { create: { type: 'mail.delivered', body: '{}', bodyBytes: 2 } };
    const nextAttemptAt = new Date(Date.now() - 600_000);
    await db.webhookDelivery.create({ data: { webhookId: webhook.id, nextAttemptAt, event } });
    const call = { action: 'alias.update', resource: 'alias', ipAddress: '::1', userAgent: '', requestId: uuidv7() };
    const createdAt = new Date(Date.now() - 120_000);
    await db.auditEntry.create({ data: { ...call, outcome: 'success', details: {}, createdAt } });
    const findings = await checkWork(db);
    await db.webhook.delete({ where: { id: webhook.id } });
    expect(find(findings, 'webhooks')).toMatchObject({ value: 1, status: 'ok' });
    expect(find(findings, 'webhooks_age')).toMatchObject({ status: 'degraded' });
    expect(find(findings, 'audit_log')).toMatchObject({ status: 'degraded' });
  });

  it('includes agents and instances without heartbeats, and different versions', async () => {
    await makeNode({ isAlive: false });
    await makeNode({ version: '0.1.0' });
    await makeNode({ version: '0.2.0' });
    const beatAt = new Date(Date.now() - 60_000);
    const agent = { host: 'mail.example.com', instance: uuidv7(), version: '0.1.0', startedAt: beatAt, beatAt };
    await db.mailAgent.create({ data: agent });
    const findings = await checkWork(db);
    await db.mailAgent.deleteMany();
    await db.clusterNode.deleteMany();
    expect(find(findings, 'instances')).toMatchObject({ value: 1, status: 'degraded' });
    expect(find(findings, 'versions')).toMatchObject({ value: 2, status: 'degraded' });
    expect(find(findings, 'mail_agent')).toMatchObject({ subject: 'mail.example.com', status: 'down' });
  });
});

it('results of one subject that were found twice are stored once', async () => {
  await recordFindings(db, [
    measured('database_replication', 1, 'walreceiver'),
    measured('database_replication', 2, 'walreceiver'),
  ]);
  expect((await health()).checks).toHaveLength(1);
});

describe('a machine', () => {
  it('says how much of a disk is free when that is little, and at which limit', async () => {
    const read = async () => ({ bsize: 4096, blocks: 1_000_000, bavail: 296_000, files: 0, ffree: 0 });
    const { findings } = await checkDisk(['disk', 'inodes'], '/small', { read });
    const message = '1.1 GB of 3.8 GB are free: 29.6%, below the limit of 30%';
    expect(findings).toMatchObject([{ name: 'disk', status: 'degraded', message }]);
  });

  it('has free space, inodes and memory in percent', async () => {
    const { findings } = await checkDisk(['disk', 'inodes'], '/tmp');
    expect(findings.map(({ name }) => name)).toContain('disk');
    for (const { value } of [...findings, await checkMemory()]) expect(value).toBeGreaterThan(0);
    const missing = await checkDisk(['disk', 'inodes'], '/tmp/missing');
    expect(find(missing.findings, 'disk')).toMatchObject({ status: 'unknown' });
  });

  it.each([
    ['a container with a limit', '0::/\n', 'sys/fs/cgroup', '1000', 17.5],
    [
      'a service with a limit',
      '4:memory:/\n0::/system.slice/a.service\n',
      'sys/fs/cgroup/system.slice/a.service',
      '1000',
      17.5,
    ],
    ['a container without a limit', '0::/\n', 'sys/fs/cgroup', 'max', 100],
  ])(
    'has the memory that is left of its limit, whose caches count as free: %s',
    async (_, own, folder, limit, value) => {
      const root = `${await mkdtemp(join(tmpdir(), 'postroom-memory-'))}/`;
      onTestFinished(() => rm(root, { recursive: true }));
      const files = {
        'proc/meminfo': `MemAvailable: ${totalmem() / 1024} kB\n`,
        'proc/self/cgroup': own,
        [`${folder}/memory.max`]: `${limit}\n`,
        [`${folder}/memory.current`]: '900\n',
        [`${folder}/memory.stat`]: 'anon 820\nfile 85\ninactive_anon 10\ninactive_file 50\nactive_file 25\n',
      };
      for (const [file, text] of Object.entries(files)) {
        await mkdir(dirname(join(root, file)), { recursive: true });
        await writeFile(join(root, file), text);
      }
      expect(await checkMemory(root)).toMatchObject({ name: 'memory', value });
    },
  );

  it('whose file system does not answer has an unknown disk, and is asked once at a time', async () => {
    const read = vi.fn(() => new Promise<never>(() => {}));
    for (let run = 0; run < 3; run++) {
      const { findings } = await checkDisk(['disk', 'inodes'], '/hangs', { read, withinMs: 10 });
      expect(find(findings, 'disk')).toMatchObject({ status: 'unknown', message: 'No answer within 0.01 seconds.' });
    }
    expect(read).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['disk', 30, 'ok'],
    ['disk', 29.9, 'degraded'],
    ['disk', 14.9, 'down'],
    ['certificate', 14, 'ok'],
    ['certificate', 13, 'degraded'],
    ['certificate', 6, 'down'],
    ['clock', 3, 'degraded'],
    ['versions', 1, 'ok'],
    ['versions', 9, 'degraded'],
  ] as const)('with %s at %f is %s', (name, value, status) => {
    expect(measured(name, value).status).toBe(status);
  });
});

describe('a service', () => {
  it('is up if it greets, and down if it is silent, greets otherwise, or is not there', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      if (greeting !== '') socket.write(greeting);
      socket.on('data', (bytes) => {
        goodbyes.push(bytes.toString());
        socket.end();
      });
    });
    let greeting = '220 mail.example.com ESMTP\r\n';
    const goodbyes: string[] = [];
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const check = () =>
      probed(
        'smtp',
        '',
        (signal) => readGreeting({ host: '127.0.0.1', port, greeting: '220 ', goodbye: 'QUIT' }, signal),
        500,
      );
    expect(await check()).toMatchObject({ status: 'ok', latencyMs: expect.any(Number) });
    expect(goodbyes).toEqual(['QUIT\r\n']);
    greeting = '554 too busy\r\n';
    expect(await check()).toMatchObject({ status: 'down', message: 'It answered: 554 too busy' });
    greeting = '';
    expect(await check()).toMatchObject({ status: 'down', message: 'No answer within 0.5 seconds.' });
    await new Promise((resolve) => server.close(resolve));
    expect(await check()).toMatchObject({ status: 'down', message: expect.stringContaining('ECONNREFUSED') });
  });
});

describe('GET /system/health', () => {
  it('has the worst first, with what to do, and the worst as its own status', async () => {
    await recordFindings(db, [measured('memory', 50, 'a'), measured('disk', 20, 'a'), measured('disk', 10, 'b')]);
    const { status, checks } = await health();
    expect(status).toBe('down');
    expect(checks).toMatchObject([
      { name: 'disk', subject: 'b', status: 'down', value: 10, unit: '%', fix: expect.stringContaining('Delete') },
      { name: 'disk', subject: 'a', status: 'degraded', threshold: { is: 'below', degraded: 30, down: 15 } },
      { name: 'memory', status: 'ok', fix: null },
    ]);
  });

  it('calls a result unknown that is older than a minute', async () => {
    await recordFindings(db, [measured('disk', 50, 'a')]);
    await db.$executeRaw`UPDATE health_check SET checked_at = now() - interval '2 minutes'`;
    expect(await health()).toMatchObject({ status: 'unknown', checks: [{ status: 'unknown' }] });
  });

  it('keeps since when a status lasts, and a sample every five minutes', async () => {
    await recordFindings(db, [measured('disk', 20, 'a')]);
    await later();
    await recordFindings(db, [measured('disk', 19, 'a')]);
    const [check] = (await health()).checks;
    expect(check).toMatchObject({ value: 19, status: 'degraded' });
    expect(Date.now() - Date.parse(check?.since ?? '')).toBeGreaterThan(50_000);
    const { data } = await api.get('/system/health/disk/history?subject=a');
    expect(data).toMatchObject([{ status: 'degraded', value: 20 }]);
  });

  it('shows the last day of all checks by hour, with the worst status of each', async () => {
    const at = (minutes: number) => new Date(Date.UTC(2026, 0, 1, 10, minutes));
    const sample = (minutes: number, status: 'ok' | 'degraded' | 'down', value: number | null, subject = 'a') =>
      db.healthSample.create({ data: { name: 'disk', subject, at: at(minutes), status, value } });
    await sample(0, 'ok', 40);
    await sample(5, 'down', 10);
    await sample(10, 'degraded', 22);
    await sample(60, 'ok', 50);
    await sample(65, 'ok', null, 'b');
    expect((await api.get('/system/health/history')).data).toEqual([
      {
        ...{ name: 'disk', subject: 'a' },
        hours: [
          { at: at(0).toISOString(), status: 'down', value: 24 },
          { at: at(60).toISOString(), status: 'ok', value: 50 },
        ],
      },
      { name: 'disk', subject: 'b', hours: [{ at: at(60).toISOString(), status: 'ok', value: null }] },
    ]);
  });
});

describe('a run', () => {
  it('checks this machine on each instance, and the whole system on one of them', async () => {
    await Promise.all([runChecks(), runChecks()]);
    const { checks } = await health();
    expect(checks.map(({ name }) => name)).toEqual(expect.arrayContaining(['disk', 'memory', 'database', 'webhooks']));
    await db.healthCheck.deleteMany();
    await runChecks();
    expect((await health()).checks.map(({ name }) => name)).not.toContain('database');
  });

  it('opens one alert for a problem that lasts, replaces it when it gets worse, and closes it', async () => {
    const found = async (percent: number) => {
      await recordFindings(db, [measured('disk', percent, 'mx1')]);
      await updateAlerts(db, new Date());
    };
    await found(20);
    expect(await openAlerts()).toEqual([]);
    await later();
    await found(20);
    await found(20);
    expect(await openAlerts()).toMatchObject([
      {
        kind: 'system_degraded',
        severity: 'warning',
        subject: 'Free disk space (mx1)',
        message:
          'Free disk space (mx1) needs attention. The value is 20%; the limit is 30%. ' +
          'Delete what is not needed, shorten the retention in Configuration, or enlarge the disk.',
      },
    ]);
    await found(21);
    expect(await openAlerts()).toMatchObject([{ message: expect.stringContaining('The value is 21%;') }]);
    await found(10);
    expect(await openAlerts()).toMatchObject([
      {
        kind: 'system_down',
        severity: 'critical',
        message: expect.stringContaining('The value is 10%; the limit is 15%.'),
      },
    ]);
    await found(60);
    expect(await openAlerts()).toHaveLength(1);
    await found(10);
    await found(60);
    expect(await openAlerts()).toHaveLength(1);
    await later();
    await found(60);
    expect(await openAlerts()).toEqual([]);
    const events = await db.event.findMany({ where: { type: 'system.alert' }, orderBy: { createdAt: 'asc' } });
    expect(events.map(({ body }) => JSON.parse(body ?? '').data)).toMatchObject([
      { kind: 'system_degraded', status: 'open' },
      { kind: 'system_degraded', status: 'closed' },
      { kind: 'system_down', status: 'open' },
      { kind: 'system_down', status: 'closed' },
    ]);
  });
});

describe('checks of an instance that no longer reports', () => {
  const names = ['disk', 'clock'] as const;
  const subjects = async () => {
    const rows = await db.healthCheck.findMany({ where: { name: { in: [...names] } }, orderBy: { subject: 'asc' } });
    return [...new Set(rows.map(({ subject }) => subject))];
  };
  const record = (host: string, ports: number[]) =>
    recordFindings(db, [measured('disk', 20, host), ...ports.map((port) => measured('clock', 0, `${host}:${port}`))]);
  const stop = (subject: string) => db.$executeRaw`
    UPDATE health_check SET checked_at = now() - interval '6 minutes', problem_since = now() - interval '1 hour'
     WHERE subject = ${subject}`;
  const update = () => updateAlerts(db, new Date());

  it('leave five minutes after it unregistered, with their alerts', async () => {
    const { id, host } = await makeNode();
    await record(host, [3000]);
    await later();
    await update();
    expect(await openAlerts()).toMatchObject([{ subject: `Free disk space (${host})` }]);
    await db.clusterNode.delete({ where: { id } });
    await update();
    expect(await subjects()).toEqual([host, `${host}:3000`]);
    await stop(host);
    await stop(`${host}:3000`);
    await update();
    expect(await subjects()).toEqual([]);
    expect(await openAlerts()).toEqual([]);
  });

  it('stay unknown while it is among the nodes: it was killed, or a check hangs', async () => {
    const killed = await makeNode({ isAlive: false });
    const hanging = await makeNode();
    for (const { host } of [killed, hanging]) await record(host, [3000]);
    await stop(killed.host);
    await stop(`${killed.host}:3000`);
    await stop(hanging.host);
    await update();
    const all = [killed, hanging].flatMap(({ host }) => [host, `${host}:3000`]).sort();
    expect(await subjects()).toEqual(all);
    expect((await health()).checks.filter(({ status }) => status === 'unknown')).toHaveLength(3);
    await db.clusterNode.delete({ where: { id: killed.id } });
    await update();
    expect(await subjects()).toEqual(all.filter((subject) => subject.startsWith(hanging.host)));
  });

  it('leave a host that has other instances, unless one of its nodes is not accounted for', async () => {
    const { host } = await makeNode();
    await record(host, [3000, 3001]);
    await stop(`${host}:3001`);
    const second = await makeNode({ isAlive: false });
    await db.clusterNode.update({ where: { id: second.id }, data: { host } });
    await update();
    expect(await subjects()).toContain(`${host}:3001`);
    await db.clusterNode.delete({ where: { id: second.id } });
    await update();
    expect(await subjects()).toEqual([host, `${host}:3000`]);
  });
});

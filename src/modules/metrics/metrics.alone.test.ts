import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { findApiHandler, handleMetrics } from '@/api';
import { measured } from '@/lib/health/finding';
import { foldAnalytics } from '@/modules/analytics/counting/fold';
import { recordFindings } from '@/modules/system/health/record';
import { createDeliverer } from '@/modules/webhooks/delivery/deliverer';
import { repeat } from '@/server/background/repeat';
import { startProcessMetrics } from '@/server/metrics/metrics';
import { db } from '@/test/database';
import { emit } from '@/test/events';
import { makeDomain, makeNode, makeWebhook } from '@/test/factories';
import { client, keyClient } from '@/test/rest';
import { growth, METRICS_TOKEN, type Samples, scrape } from '@/test/scrape';
import { failed, ok, scriptedEndpoint } from '@/test/servers/scripted-endpoint';
import { startScriptedMta } from '@/test/servers/scripted-mta';
import { setSettings } from '@/test/settings';
import { clusterMetrics } from './cluster';

const mta = await startScriptedMta();
setSettings({ METRICS_TOKEN: 'metrics-token-of-the-tests' });
afterAll(() => mta.server.close());
beforeEach(() => {
  mta.state.script = () => undefined;
});
startProcessMetrics();

const ask = (authorization?: string, method = 'GET') =>
  findApiHandler('/api/metrics')?.(
    new Request('http://localhost:3000/api/metrics', { method, headers: authorization ? { authorization } : {} }),
  );

/** Returns a function that gives the growth of a sample during `work`. */
async function during(work: () => Promise<unknown>): Promise<(sample: string) => number> {
  const { samples: before } = await scrape();
  await work();
  const { samples: after } = await scrape();
  return (sample) => growth(before, after, sample);
}

const namesIn = (samples: Samples) => new Set([...samples.keys()].map((sample) => sample.split('{')[0]));

describe('GET /api/metrics', () => {
  it('needs the token', async () => {
    expect((await ask(`Bearer ${METRICS_TOKEN}`))?.status).toBe(200);
    for (const given of [undefined, 'Bearer wrong', `Basic ${METRICS_TOKEN}`, `Bearer ${METRICS_TOKEN}x`, 'Bearer '])
      expect((await ask(given))?.status).toBe(401);
    expect((await ask(`Bearer ${METRICS_TOKEN}`, 'POST'))?.status).toBe(405);
  });

  it('has the metrics of Node.js and of this process, in the text format of Prometheus', async () => {
    const response = await ask(`Bearer ${METRICS_TOKEN}`);
    expect(response?.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(response?.headers.get('cache-control')).toBe('no-store');
    const names = namesIn((await scrape()).samples);
    for (const name of ['process_cpu_seconds_total', 'nodejs_eventloop_lag_seconds', 'postroom_build_info'])
      expect(names).toContain(name);
  });

  it('answers Next.js too, which passes its routes a second argument', async () => {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const handle = handleMetrics as (request: Request, context: object) => Promise<Response>;
    const response = await handle(new Request('http://localhost:3000/api/metrics', { headers }), { params: {} });
    expect(response.status).toBe(200);
  });

  it('asks the database twice at most', async () => {
    let queries = 0;
    const counting = new Proxy(db, {
      get(target, name) {
        if (name === '$queryRaw') queries += 1;
        else throw new Error(`the scrape uses ${String(name)}`);
        return target.$queryRaw.bind(target);
      },
    });
    await clusterMetrics(counting);
    expect(queries).toBe(2);
  });

  it('has what this process knows while the database is away', async () => {
    const away = { $queryRaw: () => Promise.reject(new Error('away')) } as unknown as typeof db;
    const text = await (await clusterMetrics(away)).metrics();
    expect(text).toContain('postroom_cluster_scrape_success 0');
    expect(text).not.toContain('postroom_cluster_nodes');
  });
});

describe('counted in each process', () => {
  it('are submissions by outcome', async () => {
    const domain = await makeDomain();
    const api = await keyClient();
    const send = () =>
      api.post('/send', {
        from: { email: `app@${domain.name}` },
        to: [{ email: 'ann@far.example' }],
        subject: 'x',
        text_body: 'x',
      });
    const grew = await during(async () => {
      await send();
      mta.state.script = (point) => (point === 'RCPT' ? { say: '550 5.1.1 No\r\n' } : undefined);
      await send();
      mta.state.script = (point) => (point === 'DOT' ? 'drop' : undefined);
      await send();
    });
    for (const outcome of ['accepted', 'rejected', 'uncertain'])
      expect([outcome, grew(`postroom_smtp_submissions_total{outcome="${outcome}"}`)]).toEqual([outcome, 1]);
    expect(grew('postroom_smtp_submission_duration_seconds_count')).toBe(3);
  });

  it('are webhook attempts by outcome', async () => {
    await makeWebhook({ url: 'https://good.example/' });
    await makeWebhook({ url: 'https://bad.example/' });
    const { post } = scriptedEndpoint(({ url }) => (url.includes('bad') ? failed('timeout') : ok()));
    const grew = await during(async () => {
      await emit(null);
      await createDeliverer({ db, post, now: () => new Date() }).sweep(10_000);
    });
    await db.webhook.deleteMany();
    expect(grew('postroom_webhook_attempts_total{outcome="delivered"}')).toBe(1);
    expect(grew('postroom_webhook_attempts_total{outcome="timeout"}')).toBe(1);
    expect(grew('postroom_webhook_attempt_duration_seconds_count')).toBe(2);
  });

  it('are the runs of background tasks, and their failures', async () => {
    let runs = 0;
    const grew = await during(async () => {
      const task = repeat('a task of the test', 60_000, async () => {
        runs += 1;
        if (runs === 2) throw new Error('of the test');
      });
      for (let run = 1; run <= 3; run++) {
        task.runNow();
        await expect.poll(() => runs).toBe(run);
      }
      await task.end();
    });
    expect(grew('postroom_task_runs_total{task="a task of the test",outcome="success"}')).toBe(2);
    expect(grew('postroom_task_runs_total{task="a task of the test",outcome="failure"}')).toBe(1);
    expect(grew('postroom_task_duration_seconds_count{task="a task of the test"}')).toBe(3);
  });

  it('are failed sign-ins, and refusals by limit', async () => {
    const limited = await keyClient({ rateLimit: 1 });
    const someone = client();
    const grew = await during(async () => {
      for (let attempt = 0; attempt < 6; attempt++)
        await someone.post('/auth/login', { email: 'nobody@a.example', password: `wrong password ${attempt}` });
      for (let call = 0; call < 3; call++) await limited.get('/auth/me');
    });
    expect(grew('postroom_sign_in_failures_total{method="password"}')).toBeGreaterThanOrEqual(5);
    expect(grew('postroom_limit_refusals_total{limit="api_key"}')).toBe(2);
  });

  it('are the connections to Postgres in use', async () => {
    const inUse = 'postroom_database_connections{pool="main",state="in_use"}';
    const grew = await during(async () => {});
    expect(grew(inUse)).toBe(0);
    await db.$transaction(async () => {
      const { samples } = await scrape();
      expect(samples.get(inUse)).toBeGreaterThanOrEqual(1);
      expect(samples.get('postroom_database_connections_max{pool="main"}')).toBe(12);
    });
  });
});

describe('of the whole system', () => {
  it('are the results of health checks, without values that are too old', async () => {
    await db.healthCheck.deleteMany();
    await recordFindings(db, [
      measured('disk', 10, 'mx1'),
      measured('queue', 600, 'mx1'),
      measured('queue_age', 1, 'mx1'),
      measured('memory', 50, 'old'),
    ]);
    await db.$executeRaw`UPDATE health_check SET checked_at = now() - interval '2 minutes' WHERE subject = 'old'`;
    const { samples } = await scrape();
    const status = (check: string, subject: string) =>
      samples.get(`postroom_cluster_health_check_status{check="${check}",subject="${subject}"}`);
    expect([status('disk', 'mx1'), status('queue', 'mx1'), status('queue_age', 'mx1')]).toEqual([2, 1, 0]);
    expect(status('memory', 'old')).toBe(-1);
    expect(samples.get('postroom_cluster_queue_messages{subject="mx1"}')).toBe(600);
    expect(samples.get('postroom_cluster_health_check_value{check="disk",subject="mx1"}')).toBe(10);
    expect(samples.has('postroom_cluster_health_check_value{check="memory",subject="old"}')).toBe(false);
  });

  it('are nodes and open alerts', async () => {
    await makeNode();
    await makeNode({ isAlive: false });
    await makeNode({ roles: ['agent'] });
    const alert = { kind: 'dns_broken', severity: 'critical', subject: 'a.example', count: 1, expected: 0 } as const;
    await db.alert.create({ data: alert });
    const { samples } = await scrape();
    await db.clusterNode.deleteMany();
    await db.alert.deleteMany();
    expect(samples.get('postroom_cluster_nodes{role="app",state="active"}')).toBe(1);
    expect(samples.get('postroom_cluster_nodes{role="app",state="dead"}')).toBe(1);
    expect(samples.get('postroom_cluster_nodes{role="agent",state="active"}')).toBe(1);
    expect(samples.get('postroom_cluster_open_alerts{kind="dns_broken",severity="critical"}')).toBe(1);
  });

  it('are messages by the statuses that they reached, which never fall', async () => {
    const total = async (status: string) =>
      (await scrape()).samples.get(`postroom_cluster_messages_total{direction="outbound",status="${status}"}`) ?? 0;
    await foldAnalytics(db);
    const before = { sent: await total('sent'), delivered: await total('delivered') };
    const domain = await makeDomain();
    const row = { direction: 'outbound' as const, fromAddress: 'a@a.example', toAddresses: ['b@b.example'] };
    const message = await db.message.create({
      data: { ...row, domainId: domain.id, messageId: '<1@a.example>', subject: '', sizeBytes: 1, status: 'sent' },
    });
    await foldAnalytics(db);
    await db.message.update({ where: { id: message.id }, data: { status: 'delivered' } });
    await foldAnalytics(db);
    const after = { sent: before.sent + 1, delivered: before.delivered + 1 };
    expect({ sent: await total('sent'), delivered: await total('delivered') }).toEqual(after);
    await db.message.update({ where: { id: message.id }, data: { status: 'sent' } });
    const day = message.createdAt.toISOString().slice(0, 10);
    await db.$transaction((tx) => tx.$queryRaw`SELECT recount_analytics_day(${day}::date)`);
    after.sent += 1;
    expect({ sent: await total('sent'), delivered: await total('delivered') }).toEqual(after);
    await db.message.delete({ where: { id: message.id } });
    await db.$transaction((tx) => tx.$queryRaw`SELECT recount_analytics_day(${day}::date)`);
    await foldAnalytics(db);
    expect({ sent: await total('sent'), delivered: await total('delivered') }).toEqual(after);
  });
});

import { beforeEach, describe, expect, it } from 'vitest';
import { uuidv7 } from '@/lib/uuid';
import { detach, recordHeartbeat } from '@/modules/mail-server/requests';
import { systemClock } from '@/server/clock';
import { db } from '@/test/database';
import { makeNode, makeOperation } from '@/test/factories';
import { expectError, keyClient } from '@/test/rest';
import { claimOperation, finishOperation, interruptAbandoned, interruptExpired, renewLease } from './lease';
import { recordServices } from './record';
import { deleteOldOperations } from './tasks';

const HOST = 'mail.example.test';
const agent = { host: HOST, instance: uuidv7(), version: '0.1.0' };
const api = await keyClient();
const start = (body: object) => api.post('/orchestrator/operations', body);
const auditOf = (id: string) =>
  db.auditEntry.findMany({ where: { resource: `operation:${id}` }, orderBy: { id: 'asc' } });
const expire = () =>
  db.$executeRaw`UPDATE operation SET leased_until = now() - interval '1 second' WHERE finished_at IS NULL`;

beforeEach(async () => {
  await db.operation.deleteMany();
  await db.mailService.deleteMany();
  await db.mailAgent.deleteMany();
  await recordHeartbeat(db, agent);
});

async function claimed() {
  const operation = await claimOperation(db, HOST, 'services');
  if (!operation) throw new Error('no operation waits');
  return operation;
}

describe('an operation', () => {
  it('is left to the agent, audited with the admin who asked, and has its outcome', async () => {
    const { status, data } = await start({ action: 'restart', service: 'dovecot' });
    expect(status).toBe(202);
    const asked = { host: HOST, action: 'restart', service: 'dovecot', dry_run: false };
    const requested_by = { id: api.admin.id, email: api.admin.email };
    expect(data).toMatchObject({ ...asked, state: 'queued', requested_by, started_at: null, finished_at: null });
    const operation = await claimed();
    expect(operation).toMatchObject({ id: data.id, action: 'restart', service: 'dovecot', dryRun: false });
    expect((await api.get('/orchestrator')).data.running).toMatchObject({ id: data.id, state: 'running' });
    expect(
      await finishOperation(db, systemClock, operation, { state: 'succeeded', message: 'Restarted Dovecot.' }),
    ).toBe(true);
    expect((await api.get(`/orchestrator/operations/${data.id}`)).data).toMatchObject({
      state: 'succeeded',
      message: 'Restarted Dovecot.',
      output: [],
    });
    const [request, end] = await auditOf(data.id);
    expect(request).toMatchObject({ action: 'operation.create', outcome: 'success', details: { after: asked } });
    expect(end).toMatchObject({
      action: 'operation.finish',
      outcome: 'success',
      adminId: api.admin.id,
      apiKeyId: api.keyId,
      requestId: request?.requestId,
      details: { ...asked, state: 'succeeded', message: 'Restarted Dovecot.' },
    });
  });

  it('is the only one at a time: of 20 at once by two admins, one starts and the others name it', async () => {
    const other = await keyClient();
    const calls = Array.from({ length: 20 }, (_, index) =>
      (index % 2 ? api : other).post('/orchestrator/operations', { action: 'reload' }),
    );
    const answers = await Promise.all(calls);
    const [first, ...more] = answers.filter(({ status }) => status === 202);
    expect(more).toEqual([]);
    expect(await db.operation.count()).toBe(1);
    for (const answer of answers.filter((each) => each !== first)) {
      const { error } = expectError(answer, 409, 'ORCHESTRATOR_BUSY');
      expect(error.details.operation_id).toBe(first?.data.id);
    }
    await finishOperation(db, systemClock, await claimed(), { state: 'failed', message: 'x' });
    expect((await start({ action: 'reload' })).status).toBe(202);
  });

  it('is claimed once, by the agent of its host', async () => {
    await start({ action: 'reload' });
    expect(await claimOperation(db, 'other.example.test', 'services')).toBeNull();
    const claims = await Promise.all(Array.from({ length: 8 }, () => claimOperation(db, HOST, 'services')));
    expect(claims.filter(Boolean)).toHaveLength(1);
  });

  it('that the agent does not start in time is interrupted, and is never run', async () => {
    const { data } = await start({ action: 'restart' });
    await expire();
    expect((await api.get(`/orchestrator/operations/${data.id}`)).data).toMatchObject({
      state: 'interrupted',
      message: expect.stringContaining('Nothing was changed'),
      finished_at: expect.any(String),
    });
    expect(await claimOperation(db, HOST, 'services')).toBeNull();
  });

  it('whose agent is gone is interrupted for everybody who looks, and the next one can start', async () => {
    const { data } = await start({ action: 'restart' });
    const operation = await claimed();
    await expire();
    const { data: seen } = await api.get('/orchestrator');
    expect(seen.running).toBeNull();
    expect((await api.get('/orchestrator/operations')).data[0]).toMatchObject({ state: 'interrupted' });
    expect((await start({ action: 'reload' })).status).toBe(202);
    expect(await db.operation.findUnique({ where: { id: data.id } })).toMatchObject({ state: 'interrupted' });
    expect((await auditOf(data.id)).at(-1)).toMatchObject({ action: 'operation.finish', outcome: 'error' });
    expect(await renewLease(db, operation)).toBe(false);
    expect(await finishOperation(db, systemClock, operation, { state: 'succeeded', message: 'x' })).toBe(false);
  });

  it('is interrupted by the sweep, or by the next agent of its host', async () => {
    const { data: swept } = await start({ action: 'restart' });
    await claimed();
    await db.$transaction((tx) => interruptExpired(tx, systemClock));
    expect(await db.operation.count({ where: { state: 'running' } })).toBe(1);
    await expire();
    await db.$transaction((tx) => interruptExpired(tx, systemClock));
    expect(await db.operation.findUnique({ where: { id: swept.id } })).toMatchObject({ state: 'interrupted' });
    const { data: abandoned } = await start({ action: 'restart' });
    await claimed();
    await interruptAbandoned(db, systemClock, { host: 'other.example.test', lane: 'services' }, 'x');
    expect(await db.operation.count({ where: { state: 'running' } })).toBe(1);
    await interruptAbandoned(db, systemClock, { host: HOST, lane: 'services' }, 'It restored 3 former files.');
    expect((await api.get(`/orchestrator/operations/${abandoned.id}`)).data).toMatchObject({
      state: 'interrupted',
      message: 'It restored 3 former files.',
    });
  });

  it('keeps its lease while it is renewed, for nobody but its agent', async () => {
    await start({ action: 'restart' });
    const operation = await claimed();
    await db.$executeRaw`UPDATE operation SET leased_until = now() + interval '1 second'`;
    expect(await renewLease(db, { ...operation, token: uuidv7() })).toBe(false);
    expect(await renewLease(db, operation)).toBe(true);
    const [left] = await db.$queryRaw<[{ seconds: number }]>`
      SELECT extract(epoch FROM leased_until - now())::int AS seconds FROM operation`;
    expect(left.seconds).toBeGreaterThan(20);
  });

  it('needs an attached mail server, and its name if there are several', async () => {
    const other = { host: 'other.example.test', instance: uuidv7(), version: '0.1.0' };
    await recordHeartbeat(db, other);
    const { error } = expectError(await start({ action: 'reload' }), 400, 'VALIDATION_ERROR');
    expect(error.message).toContain('mail.example.test, other.example.test');
    expectError(await start({ action: 'reload', host: 'nowhere.example' }), 400, 'VALIDATION_ERROR');
    expect((await start({ action: 'reload', host: other.host })).data).toMatchObject({ host: other.host });
    await detach(db, other);
    await detach(db, agent);
    const { error: none } = expectError(await start({ action: 'reload' }), 503, 'MAIL_STACK_UNAVAILABLE');
    expect(none.details.mail_server).toBe('none');
  });

  it.each([
    { action: 'shutdown' },
    { action: 'restart', service: 'sshd' },
    { action: 'restart', service: 'postfix; true' },
    { action: 'restart', service: 'agent' },
    { action: 'reload', service: 'redis' },
    { action: 'apply_config', service: 'postfix' },
    { action: 'rebuild_maps', service: 'rspamd' },
  ])('is from a fixed list: $action $service is rejected', async (body) => {
    expectError(await start(body), 400, 'VALIDATION_ERROR');
    expect(await db.operation.count()).toBe(0);
  });

  it('is listed by age, page by page, and deleted after 90 days', async () => {
    const at = (day: number) => new Date(Date.UTC(2026, 5, day));
    for (const day of [1, 2, 3]) await makeOperation({ createdAt: at(day), finishedAt: new Date() });
    const first = await api.get('/orchestrator/operations?limit=2');
    expect(first.data.map(({ created_at }: { created_at: string }) => created_at)).toEqual([
      at(3).toISOString(),
      at(2).toISOString(),
    ]);
    const cursor = first.meta.pagination?.next_cursor;
    expect((await api.get(`/orchestrator/operations?limit=2&cursor=${cursor}`)).data).toHaveLength(1);
    await makeOperation({ finishedAt: new Date(Date.now() - 91 * 86_400_000) });
    await deleteOldOperations(db);
    expect(await db.operation.count()).toBe(3);
  });
});

describe('the services', () => {
  const report = {
    service: 'postfix' as const,
    state: 'running' as const,
    message: '',
    version: '3.7.11',
    process: { pid: 7, startedAt: new Date(Date.now() - 3_600_000) },
    drift: [{ path: 'postfix/main.cf', kind: 'changed' as const }],
    driftMessage: '',
    custom: ['postfix-main' as const],
  };
  const services = async () => (await api.get('/orchestrator')).data.services;

  it('have state, version, uptime, drift and the last operation', async () => {
    await recordServices(db, HOST, [report, { ...report, service: 'agent' }]);
    const restart = await makeOperation({ service: 'postfix', action: 'restart' });
    await makeOperation({ action: 'reload', createdAt: new Date(Date.now() - 60_000) });
    await makeOperation({ action: 'apply_config', dryRun: true });
    await makeOperation({ service: 'dovecot' });
    const [postfix, own] = await services();
    expect(postfix).toMatchObject({
      host: HOST,
      service: 'postfix',
      state: 'running',
      version: '3.7.11',
      process_id: 7,
      drift: report.drift,
      custom: report.custom,
      last_operation: { id: restart.id, action: 'restart', state: 'succeeded' },
    });
    expect(Math.abs(postfix.uptime_seconds - 3_600)).toBeLessThan(60);
    expect(own).toMatchObject({ service: 'agent', last_operation: null });
  });

  it('keep since when they have their state, and say why their files are not known', async () => {
    await recordServices(db, HOST, [report]);
    await db.$executeRaw`UPDATE mail_service SET since = now() - interval '1 hour'`;
    const [before] = await services();
    await recordServices(db, HOST, [{ ...report, drift: null, driftMessage: 'HOSTNAME is missing.' }]);
    const [same] = await services();
    expect(same).toMatchObject({ since: before.since, drift: null, drift_message: 'HOSTNAME is missing.' });
    await recordServices(db, HOST, [{ ...report, state: 'stopped', process: null }]);
    const [stopped] = await services();
    expect(stopped).toMatchObject({ state: 'stopped', uptime_seconds: null });
    expect(stopped.since > before.since).toBe(true);
  });

  it('are unknown without their agent, and there are none before one is attached', async () => {
    await recordServices(db, HOST, [report]);
    await detach(db, agent);
    const { data } = await api.get('/orchestrator');
    expect(data).toMatchObject({ mail_server: 'none', services: [{ state: 'unknown', uptime_seconds: null }] });
    await db.mailService.deleteMany();
    expect((await api.get('/orchestrator')).data).toMatchObject({ mail_server: 'none', services: [], running: null });
  });

  it('are listed with the app’s instances, without mail agents', async () => {
    const [web] = [await makeNode(), await makeNode({ roles: ['agent'] })];
    const { data } = await api.get('/orchestrator');
    expect(data.instances.map(({ id }: { id: string }) => id)).toEqual([web.id]);
  });
});

import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { measured } from '@/lib/health/finding';
import { type OutboundRequest, requestOnce } from '@/server/outbound/request';
import { env } from '@/server/settings/env';
import { applySavedSettings } from '@/server/settings/saved';
import { db } from '@/test/database';
import { startHttpsReceiver } from '@/test/servers/https-receiver';
import { runTask, sharedTask, taskContext } from '@/test/tasks';
import { systemTasks } from '../tasks';
import { checkOutsideHeartbeat, sendOutsideHeartbeat } from './outside-heartbeat';
import { recordFindings } from './record';
import { checkSystem } from './run';
import { HEARTBEAT_TASK, listTasks, SYSTEM_TASK } from './scheduled-tasks';

let status = 200;
const monitor = await startHttpsReceiver({ handler: () => ({ status, body: 'OK' }) });
afterAll(monitor.close);

/** Settings of the environment are read again when the saved ones change. */
async function setUrl(url: string): Promise<void> {
  process.env.HEARTBEAT_URL = url;
  await db.savedSetting.deleteMany();
  await db.savedSetting.create({
    data: {
      key: 'EVENT_RETENTION_DAYS',
      value: String(urls++),
      updatedById: NOBODY,
      updatedByEmail: 'a@b.example',
      updatedAt: new Date(),
    },
  });
  await applySavedSettings(db);
  expect(env().heartbeatUrl ?? '').toBe(url);
}
let urls = 1;
const NOBODY = '01a1f000-0000-7000-8000-000000000000';

beforeEach(async () => {
  status = 200;
  monitor.requests.length = 0;
  await db.healthCheck.deleteMany();
  await db.scheduledTask.deleteMany();
  await finishedAgo(0);
  await setUrl(`${monitor.url}/ping/secret-check`);
  await recordFindings(db, [measured('disk', 50, 'a'), measured('database', 1)]);
});

afterAll(() => {
  delete process.env.HEARTBEAT_URL;
});

const request = (outbound: OutboundRequest) => requestOnce(outbound, { allowPrivateNetworks: true, ca: monitor.ca });
const task = { ...sharedTask(systemTasks, HEARTBEAT_TASK), run: () => sendOutsideHeartbeat(db, request) };
/** @throws if the request failed */
const send = () => runTask(db, task, { ifDue: true });
const sendAndFail = () => expect(send()).rejects.toThrow();
const later = (seconds: number) => db.$executeRaw`
  UPDATE scheduled_task SET due_at = due_at - make_interval(secs => ${seconds}),
                            failing_since = failing_since - make_interval(secs => ${seconds})
   WHERE name = ${HEARTBEAT_TASK}`;
const finishedAgo = (seconds: number) =>
  db.$executeRaw`
    INSERT INTO scheduled_task (name, finished_at) VALUES (${SYSTEM_TASK}, now() - make_interval(secs => ${seconds}))
    ON CONFLICT (name) DO UPDATE SET finished_at = excluded.finished_at`;
const check = async () => (await checkOutsideHeartbeat(db))[0];

describe('HEARTBEAT_URL', () => {
  it('is requested once a minute, however many instances there are', async () => {
    await Promise.all(Array.from({ length: 5 }, send));
    expect(monitor.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /ping/secret-check']);
    await later(50);
    await send();
    expect(monitor.requests).toHaveLength(1);
    await later(15);
    await Promise.all([send(), send()]);
    expect(monitor.requests).toHaveLength(2);
  });

  it('is not requested while a check is down, nor while no run of the checks ends, whatever agents still report', async () => {
    await recordFindings(db, [measured('disk', 1, 'a')]);
    await send();
    await recordFindings(db, [measured('disk', 20, 'a')]);
    await finishedAgo(120);
    await later(60);
    await send();
    expect(monitor.requests).toEqual([]);
    expect(await check()).toMatchObject({ status: 'ok', message: '' });
    await finishedAgo(1);
    await later(60);
    await send();
    expect(monitor.requests).toHaveLength(1);
  });

  it('degrades its check while requests fail, without its path, and never brings it down', async () => {
    const { host } = new URL(monitor.url);
    status = 404;
    await sendAndFail();
    expect(await check()).toMatchObject({ status: 'ok', message: `${host} answered 404 Not Found` });
    await later(7_200);
    await sendAndFail();
    const found = await check();
    expect(found).toMatchObject({ name: 'heartbeat', status: 'degraded' });
    expect(JSON.stringify(found)).not.toContain('secret-check');
    status = 204;
    await later(60);
    await send();
    expect(await check()).toMatchObject({ value: 0, status: 'ok', message: '' });
  });

  it('must be public, unless private networks are allowed', async () => {
    await expect(runTask(db, sharedTask(systemTasks, HEARTBEAT_TASK))).rejects.toThrow();
    expect(monitor.requests).toEqual([]);
    expect(await check()).toMatchObject({ message: expect.stringContaining('private or reserved address') });
  });

  it('that is not set has neither a check nor a task', async () => {
    status = 500;
    await sendAndFail();
    await setUrl('');
    await later(60);
    await send();
    await recordFindings(db, [measured('heartbeat', 0)]);
    await checkSystem(taskContext(db));
    expect(await db.healthCheck.count({ where: { name: 'heartbeat' } })).toBe(0);
    const names = async () => (await listTasks(db)).map(({ name }) => name);
    expect(await names()).not.toContain(HEARTBEAT_TASK);
    await setUrl(monitor.url);
    expect(await names()).toContain(HEARTBEAT_TASK);
  });
});

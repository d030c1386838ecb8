import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { db } from '../database';
import { emit } from '../events';
import { makeDomain, makeWebhook, unique } from '../factories';
import { keyClient, sessionClient } from '../rest';
import { startInstance } from '../servers/instances';

const folder = mkdtempSync(join(tmpdir(), 'postroom-instances-'));
afterAll(() => rmSync(folder, { recursive: true }));
const { headers: withKey } = await keyClient();
const { headers: withSession } = await sessionClient();
const { id: domainId } = await makeDomain({ name: 'a.example' });
const { id: webhookId } = await makeWebhook();
const settings = {
  SMTP_URL: 'off',
  BACKUP_TARGET: `file:${join(folder, 'backups')}`,
  BACKUP_PASSPHRASE: 'paper boats on the canal',
  BACKUP_TIME: 'off',
  LOG_LEVEL: 'fatal',
};
const instances = [
  await startInstance({ ...settings, DATA_DIR: join(folder, 'one') }),
  await startInstance({ ...settings, DATA_DIR: join(folder, 'other') }),
] as const;
const [one, other] = instances;
type Instance = typeof one;

const ofBoth = async <Result>(ask: (instance: Instance) => Promise<Result>) => Promise.all(instances.map(ask));
const statusOf = (headers: Record<string, string>) => (instance: Instance) =>
  instance.call('GET', '/auth/me', headers).then(({ status }) => status);

async function daysOn(instance: Instance): Promise<unknown> {
  const { data } = await instance.call('GET', '/config', withKey);
  return (data as unknown as { key: string; value: unknown }[]).find(({ key }) => key === 'EVENT_RETENTION_DAYS')
    ?.value;
}

async function save(days: number): Promise<void> {
  const { status } = await one.call('PATCH', '/config', withKey, { values: { EVENT_RETENTION_DAYS: days } });
  expect(status).toBe(200);
  await expect.poll(() => ofBoth(daysOn)).toEqual([days, days]);
}

/** Starts an operation on one instance, and waits for its end on the other. */
async function done(path: string): Promise<Record<string, unknown>> {
  const { status, data } = await one.call('POST', path, withKey, {});
  expect(status).toBe(202);
  const last = async () => (await other.call('GET', '/backups/operations?limit=1', withKey)).data as unknown;
  const [operation] = await expect
    .poll(last, { timeout: 60_000 })
    .toMatchObject([{ state: 'succeeded' }])
    .then(last as () => Promise<Record<string, unknown>[]>);
  expect([operation?.id, operation?.backup_id]).toContain(data?.id);
  return operation as Record<string, unknown>;
}

it('a restore by one of two instances makes requests to both wait, and both end the sessions and go on', async () => {
  await save(11);
  const { backup_id: id } = await done('/backups');
  await save(22);
  expect(await ofBoth(statusOf(withSession))).toEqual([200, 200]);

  let isRestoring = true;
  const statuses = new Set<number>();
  const alias = () => ({ domain_id: domainId, source_local_part: unique(), destination: 'ann@b.example' });
  // One after another, because instances that are never idle take the restore's processor.
  const requests = instances.map(async (instance) => {
    while (isRestoring) {
      statuses.add((await instance.call('GET', '/domains', withKey)).status);
      statuses.add((await instance.call('GET', '/messages', withKey)).status);
      statuses.add((await instance.call('POST', '/aliases', withKey, alias())).status);
    }
  });
  await done(`/backups/${id}/restore`);
  isRestoring = false;
  await Promise.all(requests);

  // The key is in the archive, so not even a sign-in fails.
  expect([...statuses].toSorted()).toEqual([200, 201]);
  expect(await ofBoth(statusOf(withSession))).toEqual([401, 401]);
  expect(await ofBoth(statusOf(withKey))).toEqual([200, 200]);
  await expect.poll(() => ofBoth(daysOn)).toEqual([11, 11]);
});

it('their background work goes on', async () => {
  await emit(null);
  const attempts = () => db.webhookAttempt.count({ where: { delivery: { webhookId } } });
  await expect.poll(attempts).toBeGreaterThan(0);
  await expect.poll(() => db.auditEntry.count({ where: { seq: null } })).toBe(0);
  const now = new Date();
  const beats = () => db.clusterNode.count({ where: { beatAt: { gt: now } } });
  await expect.poll(beats, { timeout: 30_000 }).toBe(2);
  expect(instances.map(({ isRunning }) => isRunning())).toEqual([true, true]);
});

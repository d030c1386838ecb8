import { beforeAll, expect, it } from 'vitest';
import { restore } from '@/modules/backups/restore/restore';
import { env } from '@/server/settings/env';
import { start } from '@/start';
import { backUp, connect, sourceOf } from '../backups';
import { db } from '../database';
import { emit } from '../events';
import { makeDomain, makeWebhook, unique } from '../factories';
import { keyClient, sessionClient } from '../rest';

const RESTORES = 2;
const connection = await connect(String(process.env.DATABASE_URL));
const api = await keyClient();
const browser = await sessionClient();

let archive: Buffer;
let domainId: string;
let webhookId: string;

async function save(days: number): Promise<void> {
  const by = { updatedById: crypto.randomUUID(), updatedByEmail: 'root@a.example' };
  const row = { key: 'EVENT_RETENTION_DAYS', value: String(days), ...by };
  await db.savedSetting.upsert({ where: { key: row.key }, create: row, update: row });
}

beforeAll(async () => {
  process.env.SMTP_URL = 'off';
  ({ id: domainId } = await makeDomain({ name: 'a.example' }));
  ({ id: webhookId } = await makeWebhook());
  await save(11);
  archive = await backUp(connection);
  const app = await start();
  app.startTasks();
  return () => app.close();
});

it('a domain without a DKIM key gets one at the start', async () => {
  await expect.poll(() => db.dkimKey.findMany({ where: { domainId } })).toMatchObject([{ status: 'active' }]);
});

it('a restore under a running app makes requests wait, and what it restores takes effect', async () => {
  await save(22);
  await expect.poll(() => env().eventRetentionDays).toBe(22);
  expect((await browser.get('/auth/me')).status).toBe(200);

  let isRestoring = true;
  const statuses = new Map<number, number>();
  const request = async (send: () => Promise<{ status: number }>) => {
    while (isRestoring) {
      const { status } = await send();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const requests = [
    request(() => api.get('/domains')),
    request(() => api.get('/messages')),
    request(() =>
      api.post('/aliases', { domain_id: domainId, source_local_part: unique(), destination: 'ann@b.example' }),
    ),
  ];
  for (let i = 0; i < RESTORES; i++) await restore(connection, sourceOf(archive));
  isRestoring = false;
  await Promise.all(requests);
  // The key is in the archive, so not even a sign-in fails.
  expect([...statuses.keys()].toSorted()).toEqual([200, 201]);

  expect((await browser.get('/auth/me')).status).toBe(401);
  await expect.poll(() => env().eventRetentionDays).toBe(11);
});

it('webhooks and the background work go on after it', async () => {
  await emit(null);
  const attempts = () => db.webhookAttempt.count({ where: { delivery: { webhookId } } });
  await expect.poll(attempts).toBeGreaterThan(0);
  await expect.poll(() => db.event.count({ where: { sequence: null } })).toBe(0);
  await expect.poll(() => db.auditEntry.count({ where: { seq: null } })).toBe(0);
});

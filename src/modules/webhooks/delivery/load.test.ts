import { afterEach, expect, it } from 'vitest';
import { db } from '@/test/database';
import { makeWebhook } from '@/test/factories';
import { emit } from '@/test/webhook-deliveries';
import { claimDue, loadJobs } from './claim';

/** A claim would also take the deliveries of other tests. */
afterEach(() => db.webhook.deleteMany());

it('reads each endpoint and event once for all deliveries of them', async () => {
  const webhooks = [await makeWebhook(), await makeWebhook()];
  const events = [await emit(), await emit(), await emit()];
  const proven = webhooks.map(({ id }) => id);
  const claims = await claimDue(db, { wanted: 500, wantedFailing: 500, perEndpoint: 8, perUnproven: 8, proven });
  const read: number[] = [];
  const jobs = await loadJobs(
    counting((rows) => read.push(rows)),
    claims,
  );
  expect(jobs.map(({ id }) => id)).toEqual(claims.map(({ id }) => id));
  expect(jobs).toHaveLength(6);
  expect(read.toSorted()).toEqual([2, 3]);
  expect(new Set(jobs.map(({ webhookId, eventId }) => `${webhookId} ${eventId}`)).size).toBe(6);
  expect(jobs.map(({ eventId }) => events.includes(eventId))).toEqual(Array(6).fill(true));
  for (const { url, webhookId } of jobs) expect(url).toBe(webhooks.find(({ id }) => id === webhookId)?.url);
});

/** The database, which reports how many rows each query returns. */
function counting(onRows: (count: number) => void): typeof db {
  return new Proxy(db, {
    get(target, property) {
      if (property !== '$queryRaw') return Reflect.get(target, property, target);
      return async (parts: TemplateStringsArray, ...values: unknown[]) => {
        const rows = await target.$queryRaw<unknown[]>(parts, ...values);
        onRows(rows.length);
        return rows;
      };
    },
  });
}

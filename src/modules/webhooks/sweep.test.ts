import { expect, it } from 'vitest';
import { emitEvent } from '@/modules/events/service';
import type { WebResponse } from '@/server/http/fetch-adapter';
import { createCronHandler } from '@/server/rest/token-handler';
import { db } from '@/test/database';
import { makeWebhook } from '@/test/factories';
import { setSettings } from '@/test/settings';
import { emission } from '@/test/webhook-deliveries';
import { sweepDeliveries } from './service';

const SECRET = 'secret-of-the-scheduler';
setSettings({ CRON_SECRET: SECRET });

const handle = createCronHandler(sweepDeliveries);

it('attempts due deliveries for a scheduler and returns the counts in the envelope', async () => {
  const { id: webhookId } = await makeWebhook();
  for (let count = 0; count < 3; count++) {
    await emitEvent(db, emission());
  }
  const first = await call({ authorization: `Bearer ${SECRET}` });
  expect(first.status).toBe(200);
  expect(await first.json()).toMatchObject({
    data: { attempted: 3, delivered: 0, failed: 3 },
    error: null,
    meta: { pagination: null },
  });
  const attempts = await db.webhookAttempt.findMany({ where: { delivery: { webhookId } } });
  expect(attempts.map(({ failure }) => failure)).toEqual(['blocked_address', 'blocked_address', 'blocked_address']);
  const again = await call({ authorization: `bearer ${SECRET}` }, 'POST');
  expect(await again.json()).toMatchObject({ data: { attempted: 0 } });
});

it.each([
  {},
  { authorization: 'Bearer' },
  { authorization: 'Bearer ' },
  { authorization: 'Bearer secret-of' },
  { authorization: `Basic ${SECRET}` },
  { authorization: SECRET },
] as Record<string, string>[])('rejects a call with %j', async (headers) => {
  const answer = await call(headers);
  expect(answer.status).toBe(401);
  expect(await answer.json()).toMatchObject({ data: null, error: { code: 'AUTH_REQUIRED' } });
});

function call(headers: Record<string, string>, method = 'GET'): Promise<WebResponse> {
  return handle(new Request('http://localhost:3000/api/cron/webhooks', { method, headers }));
}

import { expect, it } from 'vitest';
import { makeAdmin } from '@/test/factories';
import { holdLocksOf, untilBlocked } from '@/test/locks';
import { type Answer, client, expectError, keyClient } from '@/test/rest';
import { hashPassword } from '../secrets/password';
import { limitReads } from './concurrent-reads';

const PASSWORD = 'violet anchor 42 lamps';

/** Makes every read of webhooks wait. @returns a function that ends that */
const holdWebhooks = () => holdLocksOf('LOCK TABLE webhook IN ACCESS EXCLUSIVE MODE');

/** Sends requests that don't end before `done`. */
function sendSlowReads(count: number, api: { get(path: string): Promise<Answer> }) {
  let pending = count;
  const answers = Array.from({ length: count }, () =>
    api.get('/webhooks').finally(() => {
      pending -= 1;
    }),
  );
  return { answers: Promise.all(answers), pending: () => pending };
}

it('slow reads of one admin leave connections to other admins', async () => {
  const [slow, other] = [await keyClient({ rateLimit: 0 }), await keyClient()];
  const release = await holdWebhooks();
  const { answers, pending } = sendSlowReads(60, slow);
  expect((await other.get('/aliases')).status).toBe(200);
  expect((await other.get('/domains')).status).toBe(200);
  expect(pending()).toBeGreaterThan(0);
  await release();
  await answers;
});

it('slow reads of many admins leave sign-in and changes alone', async () => {
  const slow = await Promise.all(Array.from({ length: 5 }, () => keyClient({ rateLimit: 0 })));
  const { email } = await makeAdmin({ passwordHash: await hashPassword(PASSWORD) });
  const other = await keyClient();
  const release = await holdWebhooks();
  const reads = slow.map((api) => sendSlowReads(20, api));
  // Not after the other calls: on a busy host, the reads give up before those end.
  await untilBlocked(2);
  expect((await client().post('/auth/login', { email, password: PASSWORD })).status).toBe(200);
  expect((await other.post('/domains', { name: 'quick.example' })).status).toBe(201);
  await release();
  await Promise.all(reads.map(({ answers }) => answers));
});

it('an admin with too many reads in progress gets 429 until some are done', async () => {
  const [slow, other] = [await keyClient(), await keyClient()];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const reads = Array.from({ length: 104 }, () => limitReads(slow.admin.id, () => held));
  expectError(await slow.get('/aliases'), 429, 'RATE_LIMIT_EXCEEDED');
  expect((await other.get('/aliases')).status).toBe(200);
  release();
  await Promise.all(reads);
  expect((await slow.get('/aliases')).status).toBe(200);
});

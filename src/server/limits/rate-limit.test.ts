import { expect, it } from 'vitest';
import { db } from '@/test/database';
import { client, expectError } from '@/test/rest';
import { setSettings } from '@/test/settings';

const LIMIT = 5;
setSettings({ RATE_LIMIT_PER_MINUTE: String(LIMIT) });

const storedCounts = async () =>
  (await db.rateLimit.findMany({ where: { key: { contains: 'address' } } })).map(({ points }) => points);

it('requests beyond the limit of an address are refused without asking the store again', async () => {
  const api = client();
  for (let call = 0; call < LIMIT; call += 1) expect((await api.get('/version')).status).toBe(200);
  for (let call = 0; call < 10; call += 1) {
    const answer = expectError(await api.get('/version'), 429, 'RATE_LIMIT_EXCEEDED');
    expect(answer.headers.get('ratelimit-remaining')).toBe('0');
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  }
  expect(await storedCounts()).toEqual([LIMIT + 1]);
  expect((await client().get('/version')).status).toBe(200);
});

it('an address whose window ends while a call exceeds its limit is admitted in the next one', async () => {
  const api = client();
  for (let call = 0; call < LIMIT; call += 1) await api.get('/version');
  let exceeding: Promise<unknown> | undefined;
  await db.$transaction(async (tx) => {
    await tx.$executeRaw`
      UPDATE rate_limit SET expire = extract(epoch FROM clock_timestamp()) * 1000 + 300 WHERE key LIKE '%address%'`;
    exceeding = api.get('/version');
    await tx.$queryRaw`SELECT pg_sleep(0.4)::text`;
  });
  await exceeding;
  expect((await api.get('/version')).status).toBe(200);
});

it('the OpenAPI document counts as well, and the health check always responds', async () => {
  const api = client();
  const documents = [];
  for (let call = 0; call <= LIMIT; call += 1) documents.push((await api.download('/openapi.json')).status);
  expect(documents).toEqual([...Array(LIMIT).fill(200), 429]);
  expect((await api.get('/health')).status).toBe(200);
});

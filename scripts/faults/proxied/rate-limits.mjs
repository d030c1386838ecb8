import { startTemporaryRedis } from '../../testing/temporary-redis.mjs';
import { startProxied } from './setting.mjs';

const LIMIT = 40;
const CALLS = 150;
const ADDRESS_LIMIT = 500;
const ADDRESS_CALLS = 700;
const FROM = '203.0.113.7';

/** A limit is one for all instances, counted by Postgres or Redis. */
export async function testRateLimits({ root, env, adminUrl, lifetime, check }) {
  const setting = await startProxied({ root, env, adminUrl, lifetime });
  await exhaust(setting, 'Postgres', check);
  for (const instance of setting.instances) await instance.stop();

  const redis = await startTemporaryRedis(lifetime);
  const settings = { REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: String(ADDRESS_LIMIT) };
  const counted = await startProxied({ root, env, adminUrl, lifetime, settings, domain: 'counted.example' });
  await exhaust(counted, 'Redis', check);
  await exhaustAddress(counted, check);
}

/** The calls of a key through nginx, which spreads them, while the second half comes after a kill. */
async function exhaust({ call, admin, instances }, store, check) {
  const { key } = await admin('/api-keys', { name: `limited by ${store}`, rate_limit: LIMIT });
  const headers = { authorization: `Bearer ${key}` };
  const many = (count) => Promise.all(Array.from({ length: count }, () => call('/auth/me', { headers })));
  const before = await many(LIMIT / 2);
  await instances[0].killAndRestart(async () => {});
  const after = await many(CALLS);
  const passed = [...before, ...after].filter(({ status }) => status === 200).length;
  const refused = after.filter(({ status }) => status === 429).length;
  check(`a key's limit of ${LIMIT} let ${LIMIT} calls through on both instances (${store})`, passed === LIMIT, {
    passed,
  });
  check(`the others got 429 (${store})`, refused === LIMIT / 2 + CALLS - LIMIT, { refused });
}

/** Straight to the instances, as a proxy that passes on another client's address. */
async function exhaustAddress({ instances }, check) {
  const headers = { 'x-forwarded-for': FROM };
  const statuses = await Promise.all(
    Array.from({ length: ADDRESS_CALLS }, async (_, index) => {
      const { api } = instances[index % instances.length];
      return (await fetch(`${api}/version`, { headers })).status;
    }),
  );
  const passed = statuses.filter((status) => status === 200).length;
  check(
    `an address's limit of ${ADDRESS_LIMIT} let ${ADDRESS_LIMIT} calls through on both instances`,
    passed === ADDRESS_LIMIT,
    { passed },
  );
}

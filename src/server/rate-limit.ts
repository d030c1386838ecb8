import ipaddr from 'ipaddr.js';
import type { Pool } from 'pg';
import pg from 'pg';
import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Context } from './context';
import { env } from './env';
import { AppError } from './errors';
import { log } from './log';

type Limit = {
  name: 'address' | 'login' | 'key';
  points: number;
  windowSeconds: number;
  subject: string;
  message: string;
};

/** Counts one operation of a client address. @throws RATE_LIMIT_EXCEEDED */
export async function limitAddress(ctx: Context): Promise<void> {
  const points = env().rateLimitPerMinute;
  if (points === 0) return;
  await consume(ctx, {
    name: 'address',
    points,
    windowSeconds: 60,
    subject: networkOf(ctx.request.ip),
    message: `More than ${points} requests in a minute from your address.`,
  });
}

/** The login throttle: 5 requests a second for each client address (spec.md, Limits). */
export async function limitLogin(ctx: Context): Promise<void> {
  await consume(ctx, {
    name: 'login',
    points: 5,
    windowSeconds: 1,
    subject: networkOf(ctx.request.ip),
    message: 'More than 5 sign-in attempts in a second from your address.',
  });
}

/** An API key's own limit, in requests a minute; 0 is unlimited. */
export async function limitKey(ctx: Context, key: { id: string; rateLimit: number }): Promise<void> {
  if (key.rateLimit === 0) return;
  await consume(ctx, {
    name: 'key',
    points: key.rateLimit,
    windowSeconds: 60,
    subject: key.id,
    message: `More than ${key.rateLimit} requests in a minute with this API key.`,
  });
}

async function consume(ctx: Context, limit: Limit): Promise<void> {
  const { consumedPoints, msBeforeNext } = await limiter(limit).consume(limit.subject);
  const resetSeconds = String(Math.ceil(msBeforeNext / 1000));
  ctx.response.headers.set('RateLimit-Limit', String(limit.points));
  ctx.response.headers.set('RateLimit-Remaining', String(Math.max(0, limit.points - consumedPoints)));
  ctx.response.headers.set('RateLimit-Reset', resetSeconds);
  if (consumedPoints <= limit.points) return;
  throw new AppError('RATE_LIMIT_EXCEEDED', `${limit.message} Try again in ${resetSeconds} s.`, {
    details: { limit: limit.points, window_seconds: limit.windowSeconds, retry_after_seconds: Number(resetSeconds) },
    headers: { 'Retry-After': resetSeconds },
  });
}

/** An IPv6 subscriber has a /64 of addresses, and counts as one. */
function networkOf(ip: string): string {
  if (!ipaddr.IPv6.isValid(ip)) return ip;
  return ipaddr.IPv6.networkAddressFromCIDR(`${ip}/64`).toString();
}

// One pool and one set of counters a process; Next loads this module once for each of its bundles.
const shared = globalThis as typeof globalThis & {
  postroomCounters?: { pool: Pool; byName: Map<Limit['name'], RateLimiterPostgres> };
};

/** Counters live in Postgres, shared by all instances; while it is away each instance counts for itself. */
function limiter({ name, windowSeconds }: Limit): RateLimiterPostgres {
  shared.postroomCounters ??= { pool: createPool(), byName: new Map() };
  const { pool, byName } = shared.postroomCounters;
  let found = byName.get(name);
  if (!found) {
    // The limit differs from key to key, so the library only counts, and consume() compares.
    const options = { keyPrefix: name, points: Number.MAX_SAFE_INTEGER, duration: windowSeconds };
    found = new RateLimiterPostgres({
      ...options,
      storeClient: pool,
      storeType: 'pool',
      tableName: 'rate_limit',
      tableCreated: true,
      insuranceLimiter: new RateLimiterMemory(options),
    });
    byName.set(name, found);
  }
  return found;
}

function createPool(): Pool {
  const pool = new pg.Pool({ connectionString: env().databaseUrl, max: 4, connectionTimeoutMillis: 2_000 });
  pool.on('error', (error) => log.warn({ error: error.message }, 'rate limit connection lost'));
  return pool;
}

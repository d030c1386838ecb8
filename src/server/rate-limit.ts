import type { Pool } from 'pg';
import pg from 'pg';
import { RateLimiterMemory, RateLimiterPostgres, type RateLimiterRes } from 'rate-limiter-flexible';
import type { Context } from './context';
import { env } from './env';
import { AppError } from './errors';
import { log } from './log';

type Limit = { name: string; points: number; windowSeconds: number; subject: string; message: string };

/** Counts one operation of a client address. @throws RATE_LIMIT_EXCEEDED */
export async function limitAddress(ctx: Context): Promise<void> {
  const points = env().rateLimitPerMinute;
  if (points === 0) return;
  await consume(ctx, {
    name: 'address',
    points,
    windowSeconds: 60,
    subject: ctx.request.ip,
    message: `More than ${points} requests in a minute from your address.`,
  });
}

/** The login throttle: 5 requests a second for each client address (spec.md, Limits). */
export async function limitLogin(ctx: Context): Promise<void> {
  await consume(ctx, {
    name: 'login',
    points: 5,
    windowSeconds: 1,
    subject: ctx.request.ip,
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
  let state: RateLimiterRes;
  let isExceeded = false;
  try {
    state = await limiter(limit).consume(limit.subject);
  } catch (rejection) {
    if (rejection instanceof Error) throw rejection;
    state = rejection as RateLimiterRes;
    isExceeded = true;
  }
  const resetSeconds = String(Math.ceil(state.msBeforeNext / 1000));
  ctx.response.headers.set('RateLimit-Limit', String(limit.points));
  ctx.response.headers.set('RateLimit-Remaining', String(state.remainingPoints));
  ctx.response.headers.set('RateLimit-Reset', resetSeconds);
  if (!isExceeded) return;
  throw new AppError('RATE_LIMIT_EXCEEDED', `${limit.message} Try again in ${resetSeconds} s.`, {
    details: { limit: limit.points, window_seconds: limit.windowSeconds, retry_after_seconds: Number(resetSeconds) },
    headers: { 'Retry-After': resetSeconds },
  });
}

// One pool and one set of limiters a process; Next loads this module once for each of its bundles.
const shared = globalThis as typeof globalThis & {
  postroomLimiters?: { pool: Pool; byName: Map<string, RateLimiterPostgres> };
};

/** Counters live in Postgres, shared by all instances; while it is away each instance counts for itself. */
function limiter({ name, points, windowSeconds }: Limit): RateLimiterPostgres {
  shared.postroomLimiters ??= { pool: createPool(), byName: new Map() };
  const { pool, byName } = shared.postroomLimiters;
  const id = `${name}:${points}`;
  let found = byName.get(id);
  if (!found) {
    found = new RateLimiterPostgres({
      storeClient: pool,
      storeType: 'pool',
      tableName: 'rate_limit',
      tableCreated: true,
      keyPrefix: name,
      points,
      duration: windowSeconds,
      insuranceLimiter: new RateLimiterMemory({ keyPrefix: name, points, duration: windowSeconds }),
    });
    byName.set(id, found);
  }
  return found;
}

function createPool(): Pool {
  const pool = new pg.Pool({ connectionString: env().databaseUrl, max: 4, connectionTimeoutMillis: 2_000 });
  pool.on('error', (error) => log.warn({ error: error.message }, 'rate limit connection lost'));
  return pool;
}

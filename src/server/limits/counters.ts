import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import pg from 'pg';
import {
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRedis,
  type RateLimiterRes,
  type RateLimiterStoreAbstract,
} from 'rate-limiter-flexible';
import { CLOCK_TOLERANCE_SECONDS } from '../clock';
import { connectionTo } from '../database/connection';
import { log } from '../log';
import { reportPool } from '../metrics/pools';
import { connectRedis } from '../redis';

type Count = { count: number; resetMs: number };

/** Counts operations in time windows for all instances; while the store is away, each instance counts for itself. */
export type Counters = {
  /** Counts one operation and returns the subject's total in the current window. */
  count(name: string, subject: string, windowSeconds: number): Promise<Count>;
  /** Connects to the store before the first count, with a short wait. */
  settle(): Promise<void>;
  /** Asks Redis for an answer; undefined without Redis. @throws while it is away */
  ping?: () => Promise<unknown>;
  close(): Promise<void>;
};

type Options = { keyPrefix: string; points: number; duration: number };

type Store = {
  limiter(options: Options & { insuranceLimiter: RateLimiterMemory }): RateLimiterStoreAbstract;
  settle(): Promise<void>;
  ping?: () => Promise<unknown>;
  close(): Promise<void>;
};

const SETTLE_MS = 1_000;
const POOL_SIZE = 4;
const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 2_000;
const REDIS_STATUS_MESSAGES = {
  answers: 'rate limits are shared by all instances',
  away: 'each instance counts rate limits for itself',
};

/** Uses Redis if configured, otherwise Postgres. */
export function createCounters({ databaseUrl, redisUrl }: { databaseUrl: string; redisUrl?: string }): Counters {
  const store = redisUrl ? redisStore(connectRedis(redisUrl, REDIS_STATUS_MESSAGES)) : postgresStore(databaseUrl);
  const limiters = new Map<string, CountOne>();
  const limiterOf = (name: string, windowSeconds: number) => {
    const keyPrefix = `postroom:${name}:${windowSeconds}`;
    const found = limiters.get(keyPrefix);
    if (found) return found;
    // Limits differ per key, so the library only counts and the caller compares.
    const options = { keyPrefix, points: Number.MAX_SAFE_INTEGER, duration: windowSeconds };
    const limiter = store.limiter({ ...options, insuranceLimiter: new RateLimiterMemory(options) });
    const longestMs = (windowSeconds + CLOCK_TOLERANCE_SECONDS) * 1_000;
    const countOne = countTogether(async (subject, points) => {
      const counted = await limiter.consume(subject, points);
      if (counted.msBeforeNext <= longestMs) return counted;
      // A window that ends later than it can was begun by a clock that was ahead.
      await limiter.delete(subject);
      return limiter.consume(subject, points);
    });
    limiters.set(keyPrefix, countOne);
    return countOne;
  };
  return {
    settle: store.settle,
    ping: store.ping,
    close: store.close,
    count: (name, subject, windowSeconds) => limiterOf(name, windowSeconds)(subject),
  };
}

type CountOne = (subject: string) => Promise<Count>;
type Waiter = { resolve(count: Count): void; reject(reason: unknown): void };

/**
 * Runs one query at a time per subject; operations that arrive meanwhile are counted together by the next one. A flood
 * from one subject is counted exactly and uses a single connection.
 */
function countTogether(consume: (subject: string, points: number) => Promise<RateLimiterRes>): CountOne {
  const waiting = new Map<string, Waiter[]>();

  async function countAll(subject: string, waiters: Waiter[]): Promise<void> {
    try {
      const { consumedPoints, msBeforeNext: resetMs } = await consume(subject, waiters.length);
      const before = consumedPoints - waiters.length;
      for (const [i, { resolve }] of waiters.entries()) resolve({ count: before + i + 1, resetMs });
    } catch (error) {
      for (const { reject } of waiters) reject(error);
    }
    const next = waiting.get(subject) ?? [];
    if (next.length === 0) waiting.delete(subject);
    else {
      waiting.set(subject, []);
      void countAll(subject, next);
    }
  }

  return (subject) =>
    new Promise((resolve, reject) => {
      const queue = waiting.get(subject);
      if (queue) queue.push({ resolve, reject });
      else {
        waiting.set(subject, []);
        void countAll(subject, [{ resolve, reject }]);
      }
    });
}

function redisStore(redis: Redis): Store {
  return {
    limiter: (options) => new RateLimiterRedis({ ...options, storeClient: redis, rejectIfRedisNotReady: true }),
    async settle() {
      if (redis.status !== 'ready') await Promise.race([once(redis, 'ready').catch(() => {}), sleep(SETTLE_MS)]);
    },
    ping: () => redis.ping(),
    close: async () => redis.disconnect(),
  };
}

function postgresStore(url: string): Store {
  const pool = new pg.Pool({
    ...connectionTo(url),
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 500,
  });
  reportPool('limits', pool);
  pool.on('error', (error) => log.warn({ error }, 'rate limit connection lost'));
  return {
    limiter: (options) =>
      new RateLimiterPostgres({
        ...options,
        storeClient: pool,
        storeType: 'pool',
        tableName: 'rate_limit',
        tableCreated: true,
      }),
    settle: async () => {},
    close: () => pool.end(),
  };
}

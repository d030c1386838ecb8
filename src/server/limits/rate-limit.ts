import type { ActorKey } from '../access/actor';
import { AppError } from '../errors';
import type { Context } from '../procedures/context';
import { processWide } from '../process-wide';
import { env } from '../settings/env';
import { type Counters, createCounters } from './counters';
import { networkOf } from './network';

type Limit = {
  name: 'address' | 'login' | 'key';
  points: number;
  windowSeconds: number;
  subject: string;
  message: string;
};

/** Counts one call of a client address. @throws RATE_LIMIT_EXCEEDED */
export async function limitAddress(ctx: Context): Promise<void> {
  if (ctx.isAddressCounted) {
    ctx.isAddressCounted = false;
    return;
  }
  const points = env().rateLimitPerMinute;
  if (points === 0) return;
  await consume(ctx, {
    name: 'address',
    points,
    windowSeconds: 60,
    subject: networkOf(ctx.request.ip),
    message: `Your IP address exceeded ${points} requests per minute.`,
  });
}

/** The sign-in throttle: 5 requests per second and client address (docs/api-contract.md, Limits). */
export async function limitLogin(ctx: Context): Promise<void> {
  await consume(ctx, {
    name: 'login',
    points: 5,
    windowSeconds: 1,
    subject: networkOf(ctx.request.ip),
    message: 'Your IP address exceeded 5 sign-in attempts per second.',
  });
}

/** The limit of an API key and of the keys that created it, in requests per minute; 0 is unlimited. */
export async function limitKey(ctx: Context, key: ActorKey): Promise<void> {
  let tightest: Remaining | null = null;
  for (const { id, rateLimit } of [key, ...key.ancestors]) {
    if (rateLimit === 0) continue;
    const whose = id === key.id ? 'This API key' : 'The API key that created this one';
    const remaining = await consume(ctx, {
      name: 'key',
      points: rateLimit,
      windowSeconds: 60,
      subject: id,
      message: `${whose} exceeded ${rateLimit} requests per minute.`,
    });
    if (!tightest || remaining.count < tightest.count) tightest = remaining;
  }
  if (tightest) setRateLimitHeaders(ctx, tightest);
}

/** Connects the counters before the first request. */
export async function prepareLimits(): Promise<void> {
  await counters().settle();
}

type Remaining = { limit: number; count: number; resetSeconds: number };

async function consume(ctx: Context, limit: Limit): Promise<Remaining> {
  const { points, windowSeconds } = limit;
  const { count, resetMs } = await counters().count(limit.name, limit.subject, windowSeconds);
  const resetSeconds = Math.ceil(resetMs / 1000);
  const remaining = { limit: points, count: Math.max(0, points - count), resetSeconds };
  setRateLimitHeaders(ctx, remaining);
  if (count <= points) return remaining;
  throw new AppError('RATE_LIMIT_EXCEEDED', `${limit.message} Try again in ${resetSeconds} seconds.`, {
    details: { limit: points, window_seconds: windowSeconds, retry_after_seconds: resetSeconds },
    headers: { 'Retry-After': String(resetSeconds) },
  });
}

function setRateLimitHeaders(ctx: Context, { limit, count, resetSeconds }: Remaining): void {
  ctx.response.headers.set('RateLimit-Limit', String(limit));
  ctx.response.headers.set('RateLimit-Remaining', String(count));
  ctx.response.headers.set('RateLimit-Reset', String(resetSeconds));
}

const shared = processWide<Counters>('counters');

function counters(): Counters {
  shared.current ??= createCounters(env());
  return shared.current;
}

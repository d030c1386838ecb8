import { RateLimiterMemory } from 'rate-limiter-flexible';
import { formatPlural } from '@/lib/format';
import { type Finding, probed } from '@/lib/health/finding';
import type { ActorKey } from '../access/actor';
import { AppError } from '../errors';
import { networkOf } from '../http/client-address';
import type { RequestCount } from '../http/request-count';
import { countRefusal } from '../metrics/metrics';
import type { Context } from '../procedures/context';
import { processWide } from '../process-wide';
import { env } from '../settings/env';
import { type Counters, createCounters } from './counters';

type Limit = { name: 'login' | 'key'; points: number; windowSeconds: number; subject: string; message: string };

const ADDRESS_WINDOW_SECONDS = 60;
const LINK_WINDOW_SECONDS = 24 * 60 * 60;
const LINK_CHANGES = 6;

// Further requests of these addresses are refused without asking the store, until the window ends.
const exceeded = new RateLimiterMemory({ points: 1, duration: ADDRESS_WINDOW_SECONDS });

/** Counts one request of a client address. The HTTP server does so before any other work, and passes the count on. */
export async function countRequest(ip: string): Promise<RequestCount> {
  const points = env().rateLimitPerMinute;
  if (points === 0) return { count: 0, resetMs: 0 };
  const subject = networkOf(ip);
  const refused = await exceeded.get(subject);
  if (refused) return { count: points + 1, resetMs: refused.msBeforeNext };
  const counted = await counters().count('address', subject, ADDRESS_WINDOW_SECONDS);
  // A window that has ended meanwhile would block for ever.
  if (counted.count > points && counted.resetMs > 0) await exceeded.block(subject, counted.resetMs / 1000);
  return counted;
}

/** @returns the error for a request beyond the limit */
export function addressRefusal({ count, resetMs }: RequestCount): AppError | null {
  const points = env().rateLimitPerMinute;
  if (points === 0 || count <= points) return null;
  countRefusal('address');
  const message = `Your IP address exceeded ${points} requests per minute.`;
  return limitExceeded({ points, windowSeconds: ADDRESS_WINDOW_SECONDS, message }, Math.ceil(resetMs / 1000));
}

/**
 * Counts one call of a client address, unless the HTTP server has counted its request.
 * @returns the count, null without a limit
 * @throws RATE_LIMIT_EXCEEDED
 */
export async function limitAddress(ctx: Context): Promise<RequestCount | null> {
  const points = env().rateLimitPerMinute;
  if (points === 0) return null;
  const counted = ctx.countedRequest ?? (await countRequest(ctx.request.ip));
  ctx.countedRequest = null;
  setRateLimitHeaders(ctx, {
    limit: points,
    count: Math.max(0, points - counted.count),
    resetSeconds: Math.ceil(counted.resetMs / 1000),
  });
  const refusal = addressRefusal(counted);
  if (refusal) throw refusal;
  return counted;
}

/**
 * Counts one change that somebody made with a link of a message.
 * @returns whether few enough were made in the last day for this one to be recorded
 */
export async function isLinkChangeRecorded(link: string): Promise<boolean> {
  const { count } = await counters().count('link', link, LINK_WINDOW_SECONDS);
  return count <= LINK_CHANGES;
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
export async function limitKey(ctx: Responding, key: ActorKey): Promise<void> {
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

/** How fast Redis responds to this instance, if it counts the limits. */
export async function checkRedis(instance: string): Promise<Finding[]> {
  const { ping } = counters();
  return ping ? [await probed('redis', instance, ping)] : [];
}

type Responding = Pick<Context, 'response'>;
type Remaining = { limit: number; count: number; resetSeconds: number };

async function consume(ctx: Responding, limit: Limit): Promise<Remaining> {
  const { points, windowSeconds } = limit;
  const { count, resetMs } = await counters().count(limit.name, limit.subject, windowSeconds);
  const resetSeconds = Math.ceil(resetMs / 1000);
  const remaining = { limit: points, count: Math.max(0, points - count), resetSeconds };
  setRateLimitHeaders(ctx, remaining);
  if (count <= points) return remaining;
  countRefusal(limit.name === 'login' ? 'sign_in' : 'api_key');
  throw limitExceeded(limit, resetSeconds);
}

function limitExceeded(
  { points, windowSeconds, message }: Pick<Limit, 'points' | 'windowSeconds' | 'message'>,
  resetSeconds: number,
): AppError {
  return new AppError('RATE_LIMIT_EXCEEDED', `${message} Try again in ${formatPlural(resetSeconds, 'second')}.`, {
    details: { limit: points, window_seconds: windowSeconds, retry_after_seconds: resetSeconds },
    headers: { 'Retry-After': String(resetSeconds) },
  });
}

function setRateLimitHeaders(ctx: Responding, { limit, count, resetSeconds }: Remaining): void {
  ctx.response.headers.set('RateLimit-Limit', String(limit));
  ctx.response.headers.set('RateLimit-Remaining', String(count));
  ctx.response.headers.set('RateLimit-Reset', String(resetSeconds));
}

const shared = processWide<Counters>('counters');

function counters(): Counters {
  shared.current ??= createCounters(env());
  return shared.current;
}

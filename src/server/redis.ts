import { Redis } from 'ioredis';
import { log } from './log';

const CONNECT_TIMEOUT_MS = 2_000;
const ANSWER_TIMEOUT_MS = 1_000;
const SILENCE_TIMEOUT_MS = 1_500;
const MAX_RETRY_DELAY_MS = 2_000;

/**
 * A connection that never blocks callers: without Redis every command fails immediately, or within a second if Redis
 * hangs. It reconnects for as long as the process runs.
 */
export function connectRedis(url: string, told: Told): Redis {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: CONNECT_TIMEOUT_MS,
    commandTimeout: ANSWER_TIMEOUT_MS,
    socketTimeout: SILENCE_TIMEOUT_MS,
    retryStrategy: (attempt) => Math.min(attempt * 100, MAX_RETRY_DELAY_MS),
    // After a failover the old master answers READONLY until the client reconnects.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  tellChanges(redis, new URL(url).host, told);
  return redis;
}

/** Log texts: its effect when Redis responds, and when it is away. */
type Told = { answers: string; away: string };

function tellChanges(redis: Redis, host: string, { answers, away }: Told): void {
  let isAway = false;
  let reason = '';
  redis.on('error', (error: NodeJS.ErrnoException) => {
    reason = error.message || error.code || '';
  });
  redis.on('ready', () => {
    isAway = false;
    reason = '';
    log.info({ host }, `connected to Redis: ${answers}`);
  });
  redis.on('close', () => {
    if (!isAway) log.warn({ host, reason }, `Redis is not responding: until it does, ${away}`);
    isAway = true;
  });
}

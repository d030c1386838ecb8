import pg from 'pg';
import { env } from './env';
import { log } from './log';

const CONNECT_TIMEOUT_MS = 5_000;
const RETRY_MS = 2_000;
const KEEP_ALIVE_MS = 10_000;

/**
 * Calls back for each notification on a Postgres channel, and once after every connection, since what was told meanwhile
 * is lost. Without a connection nothing is told, and one is tried for again and again: it makes quicker, and is not to be
 * relied on.
 * @returns what ends it
 */
export function listen(channel: string, onNotification: () => void): () => Promise<void> {
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;

  async function connect(): Promise<void> {
    const attempt = new pg.Client({
      connectionString: env().databaseUrl,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    attempt.on('notification', onNotification);
    attempt.on('error', () => {});
    attempt.on('end', () => {
      if (client === attempt) client = null;
      if (!isEnded) timer = setTimeout(connect, RETRY_MS);
    });
    try {
      await attempt.connect();
      await attempt.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      client = attempt;
      onNotification();
    } catch (error) {
      log.debug({ error, channel }, 'notifications cannot be listened to; trying on');
      // It may never have been connected, and then it does not tell that it ended.
      attempt.removeAllListeners('end');
      await attempt.end().catch(() => {});
      if (!isEnded) timer = setTimeout(connect, RETRY_MS);
    }
  }

  void connect();
  return async () => {
    isEnded = true;
    clearTimeout(timer);
    await client?.end();
  };
}

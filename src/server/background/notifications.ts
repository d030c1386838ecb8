import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { connectionTo } from '../database/connection';
import { log } from '../log';
import { env } from '../settings/env';

const CONNECT_TIMEOUT_MS = 5_000;
const RETRY_MS = 2_000;

/**
 * Calls back for each notification on a Postgres channel, and after every reconnect, because notifications in between
 * are lost. It reconnects forever. Callers must also poll: notifications make them faster, not correct.
 * @returns a function that stops listening
 */
export function listen(channel: string, onNotification: () => void): () => Promise<void> {
  const ending = new AbortController();
  const { signal } = ending;

  async function listenOnce(): Promise<void> {
    const client = new pg.Client({
      ...connectionTo(env().databaseUrl),
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    });
    let stop = () => {};
    const isOver = new Promise<void>((resolve) => {
      stop = resolve;
    });
    client.once('end', stop);
    signal.addEventListener('abort', stop);
    client.on('error', () => {});
    client.on('notification', () => signal.aborted || onNotification());
    try {
      await client.connect();
      await client.query(`LISTEN ${pg.escapeIdentifier(channel)}`);
      if (!signal.aborted) onNotification();
      await isOver;
    } finally {
      signal.removeEventListener('abort', stop);
      await client.end().catch(() => {});
    }
  }

  async function stayConnected(): Promise<void> {
    while (!signal.aborted) {
      await listenOnce().catch((error: unknown) => {
        log.debug({ error, channel }, 'cannot listen for notifications, retrying');
      });
      await setTimeout(RETRY_MS, undefined, { signal }).catch(() => {});
    }
  }

  const listening = stayConnected();
  return async () => {
    ending.abort();
    await listening;
  };
}

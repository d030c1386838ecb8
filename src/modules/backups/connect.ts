import pg from 'pg';
import { connectionTo } from '@/server/connection';
import { waitForLock } from './lock';

/**
 * So that Postgres soon releases the locks of a machine that lost its power or network: within 25 seconds, while it waits for
 * a statement, runs one, or sends rows. Not every system that it runs on supports each of them.
 */
const NOTICES_LOSS = {
  tcp_keepalives_idle: '10',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '25s',
  client_connection_check_interval: '5s',
};

/**
 * Runs `work` on a connection of its own, which breaks when `signal` aborts: that ends what runs on it, and rolls it back.
 * @param operationId of the operation that the work is for, if it is recorded
 * @throws BackupError if another backup or restore is running
 */
export async function withDatabase<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
  { signal, operationId }: { signal?: AbortSignal; operationId?: string } = {},
): Promise<Result> {
  const client = new pg.Client({ ...connectionTo(url), keepAlive: true });
  // The running query fails with the same error.
  client.on('error', () => {});
  await client.connect();
  const breakOff = () => client.connection.stream.destroy();
  signal?.addEventListener('abort', breakOff);
  try {
    signal?.throwIfAborted();
    for (const [name, value] of Object.entries(NOTICES_LOSS))
      await client.query('SELECT set_config($1, $2, false)', [name, value]).catch(ignoreUnsupported);
    await waitForLock(client, { signal, operationId });
    return await work(client);
  } finally {
    signal?.removeEventListener('abort', breakOff);
    await client.end();
  }
}

/** A name or value that the server doesn't have. */
function ignoreUnsupported(error: unknown): void {
  if (!(error instanceof pg.DatabaseError && /^(42704|22023)$/.test(error.code ?? ''))) throw error;
}

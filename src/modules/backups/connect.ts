import { setTimeout } from 'node:timers/promises';
import pg, { type ClientBase } from 'pg';
import { ADVISORY_LOCKS } from '@/server/database/advisory-locks';
import { connectionTo } from '@/server/database/connection';
import { BackupError } from './archive/format';
import { runningText } from './operations/text';

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
  const client = new pg.Client(connectionTo(url));
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

const ATTEMPTS = 16;
const PAUSE_MS = 500;

/**
 * Only one backup or restore of a database runs at a time. The lock ends with the connection, so that of a killed process is
 * waited for, since Postgres notices it up to 5 seconds later.
 * @param operationId of the operation that needs the lock, if it is recorded
 * @throws BackupError that names what is running
 */
async function waitForLock(
  client: ClientBase,
  { signal, operationId }: { signal?: AbortSignal; operationId?: string } = {},
): Promise<void> {
  for (let attempt = 1; !(await tryToLock(client)); attempt++) {
    if (attempt === ATTEMPTS) throw await busy(client, operationId);
    await setTimeout(PAUSE_MS, undefined, { signal });
  }
}

/** Nothing is recorded of `npm run restore` while it runs. */
async function busy(client: ClientBase, operationId: string | undefined): Promise<BackupError> {
  const { rows } = await client.query<Parameters<typeof runningText>[0]>(
    `SELECT action, backup_name AS "backupName", runner FROM backup_operation
      WHERE finished_at IS NULL AND id IS DISTINCT FROM $1`,
    [operationId],
  );
  return new BackupError(rows[0] ? runningText(rows[0]) : 'Another backup or restore of this database is running.');
}

async function tryToLock(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ isLocked: boolean }>('SELECT pg_try_advisory_lock($1) AS "isLocked"', [
    ADVISORY_LOCKS.backups,
  ]);
  return rows[0]?.isLocked === true;
}

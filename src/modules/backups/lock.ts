import { setTimeout } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { ADVISORY_LOCKS } from '@/server/advisory-locks';
import { BackupError } from './archive/format';
import { runningText } from './operations/running';

const ATTEMPTS = 16;
const PAUSE_MS = 500;

/**
 * Only one backup or restore of a database runs at a time. The lock ends with the connection, so that of a killed process is
 * waited for, since Postgres notices it up to 5 seconds later.
 * @param operationId of the operation that needs the lock, if it is recorded
 * @throws BackupError that names what is running
 */
export async function waitForLock(
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

import type { ClientBase } from 'pg';
import { BackupError } from '../archive/format';

/** The time of the database, for `requireNoRestoreSince`. */
export async function timeOf(client: ClientBase): Promise<string> {
  const { rows } = await client.query<{ at: string }>('SELECT clock_timestamp()::text AS at');
  return String(rows[0]?.at);
}

/** @throws BackupError that names a restore since then, after which a preview is no longer true */
export async function requireNoRestoreSince(client: ClientBase, at: string): Promise<void> {
  const { rows } = await client.query<{ name: string; runner: string }>(
    `SELECT backup_name AS name, runner FROM backup_operation
      WHERE action = 'restore' AND state = 'succeeded' AND finished_at >= $1::timestamptz
     UNION ALL
     SELECT details ->> 'file', 'npm run restore' FROM audit_entry
      WHERE action = 'backup.restore' AND details ->> 'source' = 'command_line' AND created_at >= $1::timestamptz`,
    [at],
  );
  const [other] = rows;
  if (!other) return;
  throw new BackupError(
    `${other.name} was restored meanwhile, by ${other.runner}. Start over to see what would change now.`,
  );
}

import type { ClientBase } from 'pg';
import { uuidv7 } from '@/lib/uuid';
import { BackupError } from '../archive/format';
import { auditDetails } from '../restore/audit-log';
import type { RestoreResult } from '../restore/restore';
import type { Lease } from './lease';

/**
 * Ends the operation of a restore with its message, in its transaction, with an audit entry, which the restored log then has.
 * @throws BackupError if the lease has ended
 */
export async function recordRestore(
  client: ClientBase,
  { id, token }: Lease,
  { message, audit }: Pick<RestoreResult, 'audit'> & { message: string },
): Promise<void> {
  // Not now(), which is when the transaction began.
  const { rows } = await client.query<Record<string, unknown>>(
    `UPDATE backup_operation SET state = 'succeeded', message = $3, finished_at = clock_timestamp()
      WHERE id = $1 AND lease_token = $2 AND finished_at IS NULL AND leased_until > clock_timestamp()
    RETURNING backup_id, backup_name, domain_id, requested_by_id, requested_by_email, api_key_id, request_id, ip_address,
              user_agent`,
    [id, token, message],
  );
  const [row] = rows;
  if (!row) throw new BackupError('It was taken for dead, and ended. Nothing was changed.');
  await client.query(
    `INSERT INTO audit_entry (id, admin_id, admin_email, api_key_id, action, resource, ip_address, user_agent, request_id,
                              outcome, details, created_at)
     VALUES ($1, (SELECT id FROM admin WHERE id = $2), $3, $4, 'backup.restore', $5, $6, $7, $8, 'success', $9,
             clock_timestamp())`,
    [
      uuidv7(),
      row.requested_by_id,
      row.requested_by_email,
      row.api_key_id,
      `backup:${row.backup_id}`,
      row.ip_address,
      row.user_agent,
      row.request_id,
      JSON.stringify({
        operation_id: id,
        name: row.backup_name,
        ...(row.domain_id ? { domain_id: row.domain_id } : {}),
        ...auditDetails(audit),
      }),
    ],
  );
}

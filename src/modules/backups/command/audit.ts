import type { ClientBase } from 'pg';
import { uuidv7 } from '@/lib/uuid';

/** Records what someone did on the host, without the app. */
export async function recordCommand(
  client: ClientBase,
  action: 'backup.create' | 'backup.restore',
  details: Record<string, unknown>,
): Promise<void> {
  await client.query(
    `INSERT INTO audit_entry (id, action, resource, ip_address, user_agent, request_id, outcome, details, created_at)
     VALUES ($1, $2, 'backup', '127.0.0.1', 'command line', $3, 'success', $4, clock_timestamp())`,
    [uuidv7(), action, uuidv7(), JSON.stringify({ source: 'command_line', ...details })],
  );
}

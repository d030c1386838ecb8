import pg from 'pg';
import { uuidv7 } from '@/lib/uuid';
import './database';

/** A connection beside those of the app, to the database of the test file. */
export const auditClient = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 1, idleTimeoutMillis: 0 });
// The connection ends when the next test file gets a new database.
auditClient.on('error', () => {});

/** Runs statements without triggers, as somebody with the password of the database can. */
export async function alterAuditLog(statements: string): Promise<void> {
  await auditClient.query(`BEGIN; SET LOCAL session_replication_role = replica; ${statements}; COMMIT`);
}

export const EMPTIED = `TRUNCATE audit_entry, audit_verified, audit_archived, audit_accepted;
  UPDATE audit_head SET seq = 0, hash = '', signature = NULL`;

/** Writes an unsealed entry. */
export async function writeEntry(at: Date, action = 'domain.update'): Promise<void> {
  await auditClient.query(
    `INSERT INTO audit_entry (id, action, resource, ip_address, user_agent, request_id, outcome, details, created_at)
     VALUES ($1, $3, 'domain:x', '192.0.2.1', '', $1, 'success', '{}', $2)`,
    [uuidv7(), at, action],
  );
}

import type { ClientBase } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { Table } from './format';

/**
 * Tables of state that only the running instances know, such as their heartbeats, and of backups themselves. A restore leaves
 * them as they are. A table of a released version stays where it is in these lists: archives of that version have it or not.
 */
export const OF_INSTANCES = [
  '_prisma_migrations',
  'alert_email_run',
  'audit_accepted',
  'backup',
  'backup_operation',
  'cluster_node',
  'health_check',
  'health_sample',
  'mail_agent',
  'mail_backup',
  'mail_backup_plan',
  'mail_service',
  'mail_snapshot',
  'rate_limit',
  'scheduled_task',
  'sql_function',
];

/** Tables that a restore empties: everyone signs in again, and the counters of messages start over with those of the archive. */
export const CLEARED_BY_RESTORE = ['mail_request', 'send_window', 'session', 'setup_link', 'totp_session'];

type Row = { name: string; key: string[]; columns: string[] };

/** The tables of an archive. */
export async function findTables(client: ClientBase): Promise<Table[]> {
  const { rows } = await client.query<Row>(
    `SELECT c.relname::text AS name,
            ARRAY(SELECT a.attname::text FROM pg_index i, unnest(i.indkey) WITH ORDINALITY AS k(number, position)
                    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
                   WHERE i.indrelid = c.oid AND i.indisprimary ORDER BY k.position) AS key,
            ARRAY(SELECT a.attname::text FROM pg_attribute a
                   WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
                   ORDER BY a.attnum) AS columns
       FROM pg_class c
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
      ORDER BY 1`,
  );
  const archived = rows.filter(({ name }) => !OF_INSTANCES.includes(name) && !CLEARED_BY_RESTORE.includes(name));
  return archived.map(({ name, key, columns }) => ({
    name,
    columns: [...key, ...columns.filter((column) => !key.includes(column))],
    // Someone else's table may have no key.
    keyLength: key.length || columns.length,
  }));
}

/**
 * The same rows give the same bytes on every server, because the order depends on no collation. An identifier has the order
 * of its text, so its index gives the order without sorting all rows.
 */
export async function copyOut(client: ClientBase, { name, columns, keyLength }: Table): Promise<string> {
  const { rows } = await client.query<{ column: string }>(
    `SELECT attname::text AS column FROM pg_attribute
      WHERE attrelid = $1::regclass AND atttypid = 'uuid'::regtype AND NOT attisdropped`,
    [quoted(name)],
  );
  const order = columns
    .slice(0, keyLength)
    .map((column) => quoted(column) + (rows.some((row) => row.column === column) ? '' : '::text COLLATE "C"'));
  return `COPY (SELECT ${listed(columns)} FROM ${quoted(name)} ORDER BY ${order.join(', ')}) TO STDOUT`;
}

export function copyIn({ name, columns }: Table): string {
  return `COPY ${quoted(name)} (${listed(columns)}) FROM STDIN`;
}

/** So that values have the same text everywhere. */
export const SESSION_SETTINGS = `
  SET LOCAL TimeZone = 'UTC'; SET LOCAL DateStyle = 'ISO, MDY'; SET LOCAL IntervalStyle = 'postgres';
  SET LOCAL extra_float_digits = 1; SET LOCAL bytea_output = 'hex'; SET LOCAL client_encoding = 'UTF8';
  SET LOCAL statement_timeout = 0; SET LOCAL idle_in_transaction_session_timeout = 0`;

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

export function listed(names: readonly string[]): string {
  return names.map(quoted).join(', ');
}

/** Yields the output of a COPY … TO STDOUT. Stopping early waits for the rest, because the connection can't be used before. */
export async function* copiedOut(client: ClientBase, statement: string): AsyncGenerator<Buffer> {
  const stream = client.query(copyTo(statement));
  try {
    yield* stream.iterator({ destroyOnReturn: false });
  } finally {
    if (!stream.readableEnded && !stream.errored) for await (const _ of stream);
  }
}

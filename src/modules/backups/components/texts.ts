import type { Status } from '@/components/marks/status-mark';
import { formatBytes, formatCount, formatFull, formatPlural } from '@/lib/format';
import type { Backup, BackupOperation } from '../schema';

type Marks<Key extends string> = Record<Key, readonly [Status, string]>;

export const BACKUP_MARKS: Marks<Backup['status']> = {
  running: ['submitting', 'Running'],
  completed: ['on', 'Completed'],
  failed: ['failed', 'Failed'],
  missing: ['warning', 'Missing'],
};

export const PROOF_MARKS: Marks<Backup['proof']['state']> = {
  none: ['off', 'Not proven'],
  running: ['submitting', 'Restoring'],
  proven: ['on', 'Proven'],
  failed: ['failed', 'Failed'],
};

export const STATE_MARKS: Marks<BackupOperation['state']> = {
  running: ['submitting', 'Running'],
  succeeded: ['on', 'Done'],
  failed: ['failed', 'Failed'],
  interrupted: ['warning', 'Interrupted'],
};

export const TRIGGERS: Record<Backup['trigger'], string> = {
  schedule: 'Scheduled',
  request: 'Requested',
  command: 'Command line',
  found: 'Found',
};

const TITLES: Record<BackupOperation['action'], string> = {
  create: 'Back up',
  verify: 'Verify',
  prove: 'Prove',
  preview: 'Preview a restore',
  restore: 'Restore',
};

export function titleOf({ action, scope }: Pick<BackupOperation, 'action' | 'scope'>): string {
  return scope && action !== 'create' ? `${TITLES[action]}, one domain` : TITLES[action];
}

const RUNNING: Record<BackupOperation['action'], string> = {
  create: 'Sending and receiving go on meanwhile.',
  verify: 'Reading the archive and comparing it with its sums.',
  prove: 'Restoring the archive into a database of its own, and comparing all rows.',
  preview: 'Comparing the archive with the database. Nothing is changed.',
  restore: 'Requests wait until it is done. Then everyone has to sign in again.',
};

export function messageOf({ message, action, scope }: BackupOperation): string {
  if (message) return message;
  if (action === 'restore' && scope) return 'Other domains are not touched.';
  return RUNNING[action];
}

/** Returns text like "12 of 48 tables, 1,204,000 rows, 45 MB". */
export function progressText({ tables_done, tables_total, rows, bytes }: BackupOperation['progress']): string {
  const tables = tables_total > 0 ? `${tables_done} of ${formatPlural(tables_total, 'table')}` : 'Starting';
  const amounts = [rows > 0 && formatPlural(rows, 'row'), bytes > 0 && formatBytes(bytes)].filter(Boolean);
  return [tables, ...amounts].join(', ');
}

/** Names a backup by its time, for labels of buttons. */
export function nameOf({ started_at }: Pick<Backup, 'started_at'>): string {
  return `backup of ${formatFull(started_at)}`;
}

export function amountOf({ size_bytes: size, rows }: Pick<Backup, 'size_bytes' | 'rows'>): string {
  if (size === null) return '';
  return rows === null ? formatBytes(size) : `${formatBytes(size)}, ${formatCount(rows)} rows`;
}

const TABLES: Record<string, string> = {
  admin: 'Admins',
  admin_domain: 'Domains of admins',
  alias: 'Aliases',
  api_key: 'API keys',
  audit_entry: 'Audit entries',
  deleted_record: 'Deleted records',
  deleted_row: 'Rows of deleted records',
  dkim_key: 'DKIM keys',
  domain: 'Domains',
  event: 'Events',
  mailbox: 'Mailboxes',
  message: 'Messages',
  message_event: 'Steps of messages',
  message_recipient: 'Recipients of messages',
  message_tag: 'Tags of messages',
  scheduled_message: 'Scheduled messages',
  scheduled_part: 'Content of scheduled messages',
  setting: 'Settings',
  sieve_filter: 'Filters',
  suppression: 'Suppressions',
  template: 'Templates',
  template_version: 'Versions of templates',
  webhook: 'Webhooks',
  webhook_delivery: 'Webhook deliveries',
};

export function tableTitle(table: string): string {
  return TABLES[table] ?? table;
}

import { z } from 'zod';
import { ById, Id, Timestamp } from '@/lib/wire';

const Proof = z
  .object({
    state: z.enum(['none', 'running', 'proven', 'failed']),
    at: Timestamp.nullable(),
    message: z.string().nullable(),
  })
  .meta({ description: 'Whether the archive was restored into a database of its own, and all rows were there' });

export const Backup = z
  .object({
    id: Id,
    trigger: z.enum(['schedule', 'request', 'command', 'found']).meta({
      description: 'request: by POST /backups; command: by npm run backup; found: made by another server or earlier',
    }),
    status: z.enum(['running', 'completed', 'failed', 'missing']).meta({
      description: 'missing: it was completed, but the archive is no longer in its location',
    }),
    name: z.string().meta({ description: 'Of the archive in its location' }),
    location: z.string().meta({ description: 'The folder, or the bucket with its prefix' }),
    size_bytes: z.number().int().nullable(),
    checksum: z.string().nullable().meta({ description: 'SHA-256 of the archive in hexadecimal' }),
    version: z.string().nullable().meta({ description: 'The version of Postroom that made it. Null if not known' }),
    rows: z.number().int().nullable(),
    due_at: Timestamp.nullable().meta({ description: 'The scheduled time that it is for' }),
    attempts: z.number().int(),
    next_attempt_at: Timestamp.nullable().meta({ description: 'When a scheduled backup that failed is tried again' }),
    started_at: Timestamp,
    finished_at: Timestamp.nullable(),
    error: z.string().nullable().meta({ description: 'Why it failed, or was not found' }),
    proof: Proof,
  })
  .meta({ id: 'Backup' });
export type Backup = z.infer<typeof Backup>;

const Names = z.array(z.string());

const TableDifference = z
  .object({
    table: z.string(),
    added: z.number().int().meta({ description: 'Rows that are only in the archive' }),
    changed: z.number().int(),
    removed: z.number().int().meta({ description: 'Rows that are only in the database' }),
    examples: z.object({ added: Names, changed: Names, removed: Names }),
    left_out: Names.meta({ description: 'Sentences about what can’t be brought back as it was' }),
  })
  .meta({ id: 'TableDifference' });

export const BackupOperation = z
  .object({
    id: Id,
    action: z.enum(['create', 'verify', 'prove', 'preview', 'restore']).meta({
      description: 'prove: restore into a database of its own, and compare; preview: a restore as a dry run',
    }),
    backup_id: Id,
    backup_name: z.string(),
    scope: z.object({ domain_id: Id }).nullable().meta({ description: 'Null for everything' }),
    state: z.enum(['running', 'succeeded', 'failed', 'interrupted']).meta({
      description: 'failed: `message` says why, and nothing was changed; interrupted: the instance stopped meanwhile',
    }),
    progress: z.object({
      table: z.string().nullable(),
      tables_done: z.number().int(),
      tables_total: z.number().int(),
      rows: z.number().int(),
      bytes: z.number().int().meta({ description: 'Of the archive, written or read so far' }),
    }),
    result: z
      .object({ differences: z.array(TableDifference) })
      .nullable()
      .meta({ description: 'Of a preview: what a restore would change, table by table' }),
    message: z.string().nullable().meta({ description: 'What happened. Null until it is finished' }),
    requested_by: z
      .object({ id: Id, email: z.string() })
      .nullable()
      .meta({ description: 'Null for the schedule and for commands' }),
    runner: z.string().meta({ description: 'The instance or command that runs it' }),
    started_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'BackupOperation' });
export type BackupOperation = z.infer<typeof BackupOperation>;

export const BackupPlan = z
  .object({
    location: z.string().meta({ description: 'Where archives are stored' }),
    encryption: z.object({
      kind: z.enum(['keys', 'passphrase']),
      key_file: z.string().meta({ description: 'The server’s own key. Keep a copy outside' }),
      recipients: z.array(z.string()).meta({ description: 'The public keys that archives are encrypted to' }),
    }),
    schedule: z
      .object({
        time: z.string().meta({ description: 'HH:MM in UTC' }),
        next_run_at: Timestamp.meta({ description: 'Also of another attempt, if the last one failed' }),
      })
      .nullable()
      .meta({ description: 'Null if it is off' }),
    retention: z
      .object({ daily: z.number().int(), weekly: z.number().int(), monthly: z.number().int() })
      .meta({ description: 'For how many days, weeks and months the last scheduled backup is kept' }),
    last_completed: Backup.nullable(),
    last_proven: Backup.nullable(),
    running: BackupOperation.nullable(),
  })
  .meta({ id: 'BackupPlan' });
export type BackupPlan = z.infer<typeof BackupPlan>;

export const RestoreBackup = ById.extend({
  dry_run: z.boolean().default(false).meta({ description: 'Only says what would change' }),
  scope: z
    .strictObject({ domain_id: Id })
    .optional()
    .meta({ description: 'One domain, also a deleted one. Left out: everything' }),
});
export type RestoreBackup = z.infer<typeof RestoreBackup>;

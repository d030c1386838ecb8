import { z } from 'zod';
import { RESTORE_MODES } from '@/lib/mail/operations';
import { Id, Timestamp } from '@/lib/wire';

const MAX_HOST_LENGTH = 253;
const MAX_ADDRESS_LENGTH = 320;

const Host = z.string().min(1).max(MAX_HOST_LENGTH);
const SnapshotId = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'A snapshot id has 64 characters from 0-9 and a-f.')
  .meta({ description: 'The id that restic gave it' });

export const MailSnapshot = z
  .object({
    id: SnapshotId,
    host: Host,
    taken_at: Timestamp,
    added_bytes: z.number().int().nullable().meta({
      description: 'What it added to the repository. Null if this database has no record of taking it',
    }),
    size_bytes: z.number().int().nullable().meta({ description: 'What a restore of all of it would write' }),
    files: z.number().int().nullable(),
  })
  .meta({ id: 'MailSnapshot' });
export type MailSnapshot = z.infer<typeof MailSnapshot>;

export const MailServerBackup = z
  .object({
    host: Host,
    repository: z.string().nullable().meta({ description: 'As restic names it. Null before the first backup' }),
    last_success_at: Timestamp.nullable(),
    last_failure_at: Timestamp.nullable().meta({ description: 'Of a failure after the last success' }),
    failure: z.string().meta({ description: 'Why it failed; else empty' }),
    last_check_at: Timestamp.nullable(),
    check_failure: z.string().meta({ description: 'What the last check found; empty if nothing' }),
    next_run_at: Timestamp.nullable().meta({ description: 'Null without a schedule' }),
  })
  .meta({ id: 'MailServerBackup' });
export type MailServerBackup = z.infer<typeof MailServerBackup>;

export const MailBackups = z
  .object({
    mail_servers: z.array(MailServerBackup),
    snapshots: z.array(MailSnapshot).meta({ description: 'The newest first' }),
    running_operation_id: Id.nullable().meta({ description: 'The backup, check or restore that is queued or running' }),
  })
  .meta({ id: 'MailBackups' });
export type MailBackups = z.infer<typeof MailBackups>;

export const StartMailBackup = z.strictObject({
  host: Host.optional().meta({ description: 'Needed if several mail servers are attached' }),
});
export type StartMailBackup = z.infer<typeof StartMailBackup>;

export const RestoreMailbox = z.strictObject({
  snapshot: SnapshotId,
  mailbox: z
    .string()
    .min(3)
    .max(MAX_ADDRESS_LENGTH)
    .meta({ description: 'Its address', examples: ['ann@example.com'] }),
  mode: z.enum(RESTORE_MODES).meta({
    description:
      'beside: in a folder of its own in the mailbox, and nothing else is changed; in_place: the mailbox is as in the snapshot again, and messages that arrived since then stay',
  }),
});
export type RestoreMailbox = z.infer<typeof RestoreMailbox>;

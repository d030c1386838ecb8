import { z } from 'zod';
import { Timestamp } from '@/lib/wire';

export const MessageRetention = z.object({
  kept_days: z.number().int().meta({ description: 'Setting MESSAGE_RETENTION_DAYS; 0 keeps all messages' }),
  status: z.enum(['off', 'waiting', 'running', 'failing']).meta({
    description:
      'off: all messages are kept; waiting: for the next run, which starts within an hour; running: old messages are being deleted; failing: the last attempt failed and is retried within a minute',
  }),
  started_at: Timestamp.nullable().meta({ description: 'Start of the current or last run; null before the first one' }),
  finished_at: Timestamp.nullable().meta({ description: 'Null until the run has finished' }),
  delete_before: Timestamp.nullable().meta({ description: 'The run deletes messages older than this' }),
  deleted_until: Timestamp.nullable().meta({
    description:
      'How far the run has come: older messages are deleted, unless the mail server may still report about them',
  }),
  deleted: z.number().int().meta({ description: 'Messages that the run has deleted' }),
  failure: z.string().nullable().meta({ description: 'Why the last attempt stopped' }),
});
export type MessageRetention = z.infer<typeof MessageRetention>;

/** For the console: how long messages are kept. */
export const KeptDays = z.object({ kept_days: z.number().int() });
export type KeptDays = z.infer<typeof KeptDays>;

import { z } from 'zod';
import { Timestamp } from '@/lib/wire';

export const Health = z.object({ status: z.enum(['ok', 'down']) });
export type Health = z.infer<typeof Health>;

export const Version = z.object({
  version: z.string(),
  api_version: z.literal('v1'),
  commit: z.string().nullable().meta({ description: 'Git commit of the build; null if unknown' }),
});
export type Version = z.infer<typeof Version>;

const HealthStatus = z.enum(['ok', 'degraded', 'down', 'unknown']);

export const HealthCheck = z
  .object({
    name: z.string(),
    group: z.string(),
    title: z.string(),
    subject: z.string().meta({ description: 'The host or service, if there can be several; else empty' }),
    status: HealthStatus,
    value: z.number().nullable().meta({ description: 'In `unit`' }),
    unit: z.string().nullable(),
    threshold: z
      .object({ is: z.enum(['above', 'below']), degraded: z.number(), down: z.number().nullable() })
      .nullable()
      .meta({ description: 'The values above or below which it is degraded, and down' }),
    latency_ms: z.number().int().nullable(),
    message: z.string().meta({ description: 'Why it failed or could not be checked; else empty' }),
    fix: z.string().nullable().meta({ description: 'What to do, unless it is ok' }),
    since: Timestamp.meta({ description: 'Since when it has this status' }),
    checked_at: Timestamp,
  })
  .meta({ id: 'HealthCheck' });
export type HealthCheck = z.infer<typeof HealthCheck>;

export const ScheduledTask = z
  .object({
    name: z.string().meta({ description: 'What it does, such as `deleting old messages`' }),
    running_since: Timestamp.nullable().meta({ description: 'Null while it is not running' }),
    last_run_at: Timestamp.nullable().meta({ description: 'End of the last run; null before the first one' }),
    last_duration_ms: z.number().int().nullable(),
    next_run_at: Timestamp.nullable().meta({ description: 'Null while it is running' }),
    failure: z.string().nullable().meta({ description: 'Why the last run failed. It is repeated within a minute.' }),
  })
  .meta({ id: 'ScheduledTask' });
export type ScheduledTask = z.infer<typeof ScheduledTask>;

export const SystemHealth = z.object({
  status: HealthStatus.meta({ description: 'The worst of the checks, apart from unknown ones' }),
  checks: z.array(HealthCheck).meta({ description: 'The worst first' }),
  tasks: z.array(ScheduledTask).meta({ description: 'What one instance at a time does at intervals, failures first' }),
});
export type SystemHealth = z.infer<typeof SystemHealth>;

export const GetHealthHistory = z.strictObject({
  name: z.string().min(1).max(100),
  subject: z.string().max(300).default(''),
});
export type GetHealthHistory = z.infer<typeof GetHealthHistory>;

export const HealthHistory = z
  .array(z.object({ at: Timestamp, status: HealthStatus, value: z.number().nullable() }))
  .meta({ description: 'Of the last day, every five minutes' });
export type HealthHistory = z.infer<typeof HealthHistory>;

/** The last day of a check, with the worst status and the average value of each hour that has results. */
const HealthDay = z.object({
  name: z.string(),
  subject: z.string(),
  hours: z.array(z.object({ at: Timestamp, status: HealthStatus, value: z.number().nullable() })),
});
export type HealthDay = z.infer<typeof HealthDay>;

export const HealthDays = z.array(HealthDay);

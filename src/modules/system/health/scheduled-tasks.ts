import { type Finding, measured } from '@/lib/health/finding';
import type { Database } from '@/server/database/db';
import { env } from '@/server/settings/env';
import type { ScheduledTask } from '../schema';

export const SYSTEM_TASK = 'checking the whole system';
export const HEARTBEAT_TASK = 'requesting HEARTBEAT_URL';

type Row = {
  name: string;
  dueAt: Date;
  startedAt: Date | null;
  finishedAt: Date | null;
  durationMs: number | null;
  failure: string;
  isRunning: boolean;
};

/** The tasks that one instance at a time runs, those that fail first. Without HEARTBEAT_URL, the task that requests it is missing. */
export async function listTasks(db: Database): Promise<ScheduledTask[]> {
  const rows = await db.$queryRaw<Row[]>`
    SELECT name, due_at AS "dueAt", started_at AS "startedAt", finished_at AS "finishedAt", duration_ms AS "durationMs", failure,
           lease_token IS NOT NULL AND due_at > now() AS "isRunning"
      FROM scheduled_task WHERE name <> ${HEARTBEAT_TASK} OR ${Boolean(env().heartbeatUrl)} ORDER BY failure = '', name`;
  return rows.map(({ name, dueAt, startedAt, finishedAt, durationMs, failure, isRunning }) => ({
    name,
    running_since: isRunning && startedAt ? startedAt.toISOString() : null,
    last_run_at: finishedAt?.toISOString() ?? null,
    last_duration_ms: durationMs,
    next_run_at: isRunning ? null : dueAt.toISOString(),
    failure: failure || null,
  }));
}

/** For how long a task has been failing, or due without any instance that runs it. */
export async function checkTasks(db: Database): Promise<Finding[]> {
  const late = await db.$queryRaw<{ name: string; failure: string; seconds: number }[]>`
    SELECT name, failure, extract(epoch FROM now() - least(due_at, failing_since))::int AS seconds FROM scheduled_task
     WHERE (due_at < now() OR failing_since IS NOT NULL) AND name <> ${HEARTBEAT_TASK}
     ORDER BY seconds DESC`;
  const failing = late.filter(({ failure }) => failure !== '').map(({ name, failure }) => `${name}: ${failure}`);
  return [{ ...measured('tasks', Math.max(late[0]?.seconds ?? 0, 0)), message: failing.join('; ') }];
}

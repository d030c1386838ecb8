import { type Finding, measured } from '@/lib/health/finding';
import type { Database } from '@/server/database/db';
import { env } from '@/server/settings/env';
import type { ScheduledTask } from '../schema';

export const SYSTEM_TASK = 'checking the whole system';
export const HEARTBEAT_TASK = 'requesting HEARTBEAT_URL';

/** A task that hangs, such as in a network folder, renews its lease for as long as its process runs. */
const LONGEST_RUN_HOURS = 6;

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

/** For how long a task has been failing, due without any instance that runs it, or running although it should have ended. */
export async function checkTasks(db: Database): Promise<Finding[]> {
  const late = await db.$queryRaw<{ name: string; failure: string; seconds: number; hours: number | null }[]>`
    SELECT name, failure, extract(epoch FROM now() - least(due_at, failing_since, ends_by))::int AS seconds,
           floor(extract(epoch FROM CASE WHEN ends_by IS NOT NULL THEN now() - started_at END) / 3600)::int AS hours
      FROM scheduled_task
           LEFT JOIN LATERAL (SELECT started_at + make_interval(hours => ${LONGEST_RUN_HOURS}) AS ends_by) running
           ON lease_token IS NOT NULL
     WHERE (due_at < now() OR failing_since IS NOT NULL OR ends_by < now()) AND name <> ${HEARTBEAT_TASK}
     ORDER BY seconds DESC`;
  const problems = late.flatMap(({ name, failure, hours }) => {
    if (failure !== '') return `${name}: ${failure}`;
    return hours !== null && hours >= LONGEST_RUN_HOURS ? `${name}: it has been running for ${hours} hours` : [];
  });
  return [{ ...measured('tasks', Math.max(late[0]?.seconds ?? 0, 0)), message: problems.join('; ') }];
}

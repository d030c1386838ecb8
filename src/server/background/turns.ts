import { uuidv7 } from '@/lib/uuid';
import type { Database, Tx } from '../database/db';
import { countTask } from '../metrics/metrics';
import { Prisma } from '../prisma/client';
import { leaseOf } from './lease';
import { repeat } from './repeat';
import type { SharedTask, TaskContext, Turn } from './task';

const LEASE = leaseOf(30, 'due_at');
const RENEW_INTERVAL_MS = 5_000;
/** A failed run is repeated after this time, or after the interval of the task if that is shorter. */
const RETRY_SECONDS = 60;
/** Shorter than the time after which a task that is due degrades its check. */
const FORGOTTEN_AFTER_MINUTES = 10;
const MAX_FAILURE_LENGTH = 500;

type Claim = { task: SharedTask; token: string; nextAt: Date };

/** Adds the tasks that are new, which are due at once, and forgets those of another version that no instance runs any longer. */
export async function registerTasks(db: Database, tasks: readonly SharedTask[]): Promise<void> {
  const names = tasks.map(({ name }) => name);
  await db.$executeRaw`
    WITH forgotten AS (
      DELETE FROM scheduled_task
       WHERE due_at < now() - make_interval(mins => ${FORGOTTEN_AFTER_MINUTES}) AND name <> ALL (${names}::text[])
    )
    INSERT INTO scheduled_task (name) SELECT unnest(${names}::text[]) ON CONFLICT (name) DO NOTHING`;
}

/**
 * Claims the task that has been due for longest, or whose run was cut off, so that its lease has ended.
 * @returns null if none is due, or other instances have them
 */
export async function claimTurn(db: Tx, tasks: readonly SharedTask[]): Promise<Claim | null> {
  const token = uuidv7();
  // A time that is further away than it can be was set by a clock that was wrong. This compares with the clock, because a lease that
  // began after this transaction ends later than one that began with it.
  const [claimed] = await db.$queryRaw<{ name: string; nextAt: Date }[]>`/* prepared */
    WITH due AS MATERIALIZED (
      SELECT name, CASE WHEN due_at BETWEEN now() - every AND now() THEN due_at ELSE now() END + every AS next_at
        FROM scheduled_task
        JOIN unnest(${tasks.map(({ name }) => name)}::text[], ${tasks.map(({ everySeconds }) => everySeconds)}::float8[])
             AS declared (name, seconds) USING (name), make_interval(secs => seconds) AS every
       WHERE ${LEASE.isOver} OR due_at > clock_timestamp() + greatest(every, make_interval(secs => ${LEASE.seconds}))
       ORDER BY due_at LIMIT 1 FOR UPDATE OF scheduled_task SKIP LOCKED
    )
    UPDATE scheduled_task t SET ${LEASE.claim(token)}, started_at = now() FROM due WHERE t.name = due.name
    RETURNING due.name, next_at AS "nextAt"`;
  const task = tasks.find(({ name }) => name === claimed?.name);
  return claimed && task ? { task, token, nextAt: claimed.nextAt } : null;
}

/** Makes a task due now. A run in progress loses its lease, since it may have begun too early. */
export async function requestTurn(tx: Tx, name: string): Promise<void> {
  await tx.$executeRaw`UPDATE scheduled_task SET ${LEASE.release()} WHERE name = ${name}`;
}

/**
 * Runs a claimed task and records how it ended, unless the lease was lost. A run that `context.signal` cuts off is due again.
 * @throws what the task throws
 */
export async function runTurn(claim: Claim, context: TaskContext): Promise<void> {
  const { task, token, nextAt } = claim;
  const { db } = context;
  const { name, everySeconds } = task;
  const isLost = new AbortController();
  const turn = turnOf(claim);
  let renewedAt = performance.now();
  const renewal = repeat('renewing the lease of a task', RENEW_INTERVAL_MS, async () => {
    const askedAt = performance.now();
    if (askedAt - renewedAt > LEASE.seconds * 1_000 || !(await turn.renew(db))) isLost.abort();
    renewedAt = askedAt;
  });
  const signal = AbortSignal.any([context.signal, isLost.signal]);
  try {
    await countTask(name, () => task.run({ ...context, signal, turn }));
    await renewal.end();
    if (!context.signal.aborted)
      await finish(db, { name, token, dueAt: Prisma.sql`${nextAt}::timestamptz`, failure: '' });
  } catch (error) {
    const dueAt = Prisma.sql`now() + make_interval(secs => ${Math.min(everySeconds, RETRY_SECONDS)})`;
    if (!context.signal.aborted) await finish(db, { name, token, dueAt, failure: messageOf(error) });
    throw error;
  } finally {
    await renewal.end();
    if (context.signal.aborted)
      await db.$executeRaw`UPDATE scheduled_task SET ${LEASE.release()} WHERE name = ${name} AND ${LEASE.isHeldBy(token)}`;
  }
}

export function turnOf({ task, token }: Pick<Claim, 'task' | 'token'>): Turn {
  return {
    renew: async (tx) =>
      (await tx.$executeRaw`
        UPDATE scheduled_task SET ${LEASE.renew} WHERE name = ${task.name} AND ${LEASE.isHeldBy(token)}`) > 0,
  };
}

type Finished = { name: string; token: string; dueAt: Prisma.Sql; failure: string };

async function finish(db: Database, { name, token, dueAt, failure }: Finished): Promise<void> {
  await db.$executeRaw`
    UPDATE scheduled_task
       SET lease_token = NULL, due_at = ${dueAt}, finished_at = now(), failure = ${failure},
           duration_ms = round(extract(epoch FROM now() - started_at) * 1000),
           failing_since = CASE WHEN ${failure} <> '' THEN coalesce(failing_since, now()) END
     WHERE name = ${name} AND ${LEASE.isHeldBy(token)}`;
}

/** The last line, because those of Prisma begin with the code of the query. */
function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.trim().split('\n').at(-1)?.slice(0, MAX_FAILURE_LENGTH) || 'It failed without a message.';
}

import type { SharedTask, Task, TaskContext } from '@/server/background/task';
import { claimTurn, registerTasks, runTurn } from '@/server/background/turns';
import { type Clock, systemClock } from '@/server/clock';
import type { Database } from '@/server/database/db';

type Options = { clock?: Clock; signal?: AbortSignal; ifDue?: boolean };

export function taskContext(db: Database): TaskContext {
  return { db, clock: systemClock, signal: new AbortController().signal };
}

/**
 * Runs a task of one instance once, as another instance would.
 * @param ifDue only if it is due, else also if it is due later
 * @returns false if it isn't due, or another run has the lease
 */
export async function runTask(db: Database, task: Task, { ifDue = false, ...given }: Options = {}): Promise<boolean> {
  const shared = sharedTask([task], task.name);
  await registerTasks(db, [shared]);
  if (!ifDue)
    await db.$executeRaw`UPDATE scheduled_task SET due_at = now() - interval '1 second' WHERE name = ${task.name} AND lease_token IS NULL`;
  const claim = await claimTurn(db, [shared]);
  if (claim) await runTurn(claim, { ...taskContext(db), ...given });
  return claim !== null;
}

export function sharedTask(tasks: readonly Task[], name: string): SharedTask {
  const task = tasks.find((each) => each.name === name);
  if (task?.on !== 'one instance') throw new Error(`no task of one instance is called ${name}`);
  return task;
}

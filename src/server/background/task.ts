import type { Clock } from '../clock';
import type { Database, Tx } from '../database/db';

const CLEAN_UP_SECONDS = 5 * 60;

export type TaskContext = {
  db: Database;
  clock: Clock;
  /** Aborts when the run should end: the process stops, the instance is draining, or the lease was lost. */
  signal: AbortSignal;
};

/** The lease of a run. The runner renews it; work that must not overlap with that of the next holder renews it itself. */
export type Turn = {
  /** Also locks the lease until the transaction ends. @returns false if another instance has taken over */
  renew(tx: Tx): Promise<boolean>;
};

export type SharedContext = TaskContext & { turn: Turn };

/** Work that is repeated in the background. Modules declare theirs, and src/tasks.ts lists all. */
export type Task = {
  /** Its work in words, such as "deleting old messages": in the console, in the log and as a label of metrics. */
  name: string;
  everySeconds: number;
  /** A Postgres channel. A notification makes a task of every instance run, and one of one instance if it is due. */
  wokenBy?: string;
  /** Called on each notification, before the run. */
  onWake?(): void;
  /** An instance that is draining leaves its other tasks to the rest. */
  runsWhileDraining?: boolean;
  /** A process that stops waits for the end of the run. */
  isAwaited?: boolean;
} & (
  | { on: 'every instance'; run(context: TaskContext): Promise<unknown> }
  | {
      /** Each run is claimed by one instance, recorded, and shown under System → Health. */
      on: 'one instance';
      /** Waits while two others that can wait are running in the process. */
      canWait?: boolean;
      run(context: SharedContext): Promise<unknown>;
    }
);

export type SharedTask = Extract<Task, { on: 'one instance' }>;

/** A task that deletes or completes what was left, on one instance every five minutes. */
export function cleanUp(name: string, run: SharedTask['run']): SharedTask {
  return { name, on: 'one instance', canWait: true, everySeconds: CLEAN_UP_SECONDS, run };
}

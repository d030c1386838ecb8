import type { Clock } from '../clock';
import { thisNode } from '../cluster/this-node';
import type { Database } from '../database/db';
import { failureLog } from './failures';
import { listen } from './notifications';
import { type RepeatingTask, repeat } from './repeat';
import type { SharedTask, Task } from './task';
import { claimTurn, registerTasks, runTurn } from './turns';

/** How often the tasks of one instance are looked for: some start later by as much. */
const LOOK_INTERVAL_MS = 2_000;
/** Not only at the start, since during an upgrade other versions run tasks that this one doesn't know. */
const REGISTER_INTERVAL_MS = 5 * 60_000;
/** How many of the tasks that can wait run at once, so that they leave connections to the database to requests. */
const MAX_PATIENT = 2;

export type RunningTasks = {
  /** Runs a task of every instance now, or once more after the current run. */
  runNow(name: string): void;
  /** Starts no more runs, and waits for those that are awaited. */
  end(): Promise<void>;
};

/** Runs tasks at their intervals, the first time at once, and keeps going after failures. */
export function startTasks(tasks: readonly Task[], { db, clock }: { db: Database; clock: Clock }): RunningTasks {
  const ending = new AbortController();
  const isPaused = ({ runsWhileDraining }: Task) => thisNode().isDraining && !runsWhileDraining;
  const own = new Map<string, RepeatingTask>();
  for (const task of tasks) {
    if (task.on !== 'every instance') continue;
    const run = async () => {
      if (!isPaused(task)) await task.run({ db, clock, signal: ending.signal });
    };
    own.set(task.name, repeat(task.name, task.everySeconds * 1_000, run));
  }
  const shared = tasks.filter((task) => task.on === 'one instance');
  const turns = shared.length > 0 ? startTurns(shared, { db, clock, isPaused, ending: ending.signal }) : undefined;
  const runNow = (task: Task) => (task.on === 'every instance' ? own.get(task.name) : turns)?.runNow();
  for (const { runNow } of own.values()) runNow();

  const channels = new Set(tasks.flatMap(({ wokenBy }) => wokenBy ?? []));
  const endListening = [...channels].map((channel) =>
    listen(channel, () => {
      for (const task of tasks) {
        if (task.wokenBy !== channel) continue;
        task.onWake?.();
        runNow(task);
      }
    }),
  );
  return {
    runNow: (name) => own.get(name)?.runNow(),
    async end() {
      ending.abort();
      const ends = tasks.map(({ name, isAwaited }) => {
        const ended = own.get(name)?.end();
        return isAwaited ? ended : undefined;
      });
      await Promise.all([...ends, turns?.end(), ...endListening.map((end) => end())]);
    },
  };
}

type Options = { db: Database; clock: Clock; isPaused: (task: Task) => boolean; ending: AbortSignal };

/** Claims and runs the tasks that one instance at a time runs. */
function startTurns(tasks: SharedTask[], { db, clock, isPaused, ending }: Options) {
  const failures = new Map(tasks.map(({ name }) => [name, failureLog(name)]));
  const running = new Map<SharedTask, { stopping: AbortController; ended: Promise<void> }>();
  // AbortSignal.any of a signal that lives as long as the process leaves an entry there for each run.
  ending.addEventListener('abort', () => {
    for (const { stopping } of running.values()) stopping.abort();
  });

  function startable(): SharedTask[] {
    const patient = [...running.keys()].filter(({ canWait }) => canWait).length;
    return tasks.filter(
      (task) => !running.has(task) && !isPaused(task) && !(task.canWait && patient >= MAX_PATIENT) && !ending.aborted,
    );
  }

  async function startDue(): Promise<void> {
    for (const [task, { stopping }] of running) if (isPaused(task)) stopping.abort();
    for (let candidates = startable(); candidates.length > 0; candidates = startable()) {
      const claim = await claimTurn(db, candidates);
      if (!claim) return;
      const { task } = claim;
      const stopping = new AbortController();
      if (ending.aborted) stopping.abort();
      const ended = runTurn(claim, { db, clock, signal: stopping.signal })
        .then(failures.get(task.name)?.succeeded, failures.get(task.name)?.failed)
        .finally(() => running.delete(task));
      running.set(task, { stopping, ended });
    }
  }

  const looking = repeat('starting scheduled tasks', LOOK_INTERVAL_MS, startDue);
  const registering = repeat('registering scheduled tasks', REGISTER_INTERVAL_MS, async () => {
    await registerTasks(db, tasks);
    looking.runNow();
  });
  registering.runNow();
  return {
    runNow: looking.runNow,
    async end() {
      await Promise.all([registering.end(), looking.end()]);
      await Promise.all([...running].map(([{ isAwaited }, { ended }]) => (isAwaited ? ended : undefined)));
    },
  };
}

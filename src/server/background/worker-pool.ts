import type { EventEmitter } from 'node:events';
import { parentPort } from 'node:worker_threads';
import { measureWork, type Times, timesOfProcess } from './work-time';

/** A worker thread, or a process (startProcess). Emits `online` when it can begin, `message`, `error` and `exit`. */
export type JobRunner = EventEmitter & {
  postMessage(job: object, transferred: ArrayBuffer[]): void;
  ref(): void;
  unref(): void;
  terminate(): Promise<unknown>;
  /** The times of a process. Those of a thread are in the times of this process. */
  times?(): Times;
};

type JobReply<Result> = { result: Result } | { failure: string };

export type WorkerPoolOptions<Job> = {
  /** Starts a worker that calls `handleJobs`. The caller spells out a thread's URL, because bundlers find threads that way only. */
  startWorker: () => JobRunner;
  /** The bytes of a job. They are transferred, not copied, unless something else shares their memory. */
  bytesOf: (job: Job) => Uint8Array[];
  maxThreads: number;
  /**
   * From the moment that a thread begins with the job, without its own start. Time in which other programs have the processors
   * doesn't count, but after three times as long by the clock a job ends in any case.
   */
  deadlineMs: number;
  /** The times of a worker that has none of its own. */
  times?: () => Times;
  /** How long a thread without a job is kept. */
  idleMs?: number;
  tooSlow: () => Error;
  /** Jobs of one owner run one after another, and owners take turns. Without this, all jobs run in their order. */
  owners?: {
    ownerOf: (job: Job) => string;
    /** The most jobs of an owner that wait; one more fails. */
    maxWaiting: number;
    tooMany: () => Error;
  };
};

/**
 * Runs jobs in worker threads or processes, one job at a time per thread. A job that exceeds the deadline fails and its thread is
 * terminated, which has an effect only once it is no longer waiting for a disk. Idle threads end and free their memory. Not Piscina: it
 * starts its own worker file and names ours by a path, but bundlers only build what a `new Worker(new URL(…))` names.
 */
export function createWorkerPool<Job extends object, Result>(
  options: WorkerPoolOptions<Job>,
): (job: Job) => Promise<Result> {
  const { startWorker, bytesOf, maxThreads, deadlineMs, idleMs = IDLE_MS, tooSlow, owners } = options;
  const { times = timesOfProcess } = options;
  type Task = { job: Job; resolve: (result: Result) => void; reject: (error: Error) => void };
  type Thread = { worker: JobRunner; isOnline: boolean; task: Task | null; timer: NodeJS.Timeout | undefined };
  const threads = new Set<Thread>();
  let ending = 0;
  const queue = createFairQueue<Task>((task) => (owners ? owners.ownerOf(task.job) : task));

  function assign(): void {
    for (;;) {
      const idle = [...threads].find(({ task }) => task === null);
      if (!idle && threads.size + ending >= maxThreads) return;
      const task = queue.take();
      if (!task) return;
      const thread = idle ?? startFor(task);
      if (!thread) continue;
      clearTimeout(thread.timer);
      thread.task = task;
      if (thread.isOnline) startTimer(thread);
      thread.worker.ref();
      thread.worker.postMessage(task.job, transferable(bytesOf(task.job)));
    }
  }

  function startFor(task: Task): Thread | null {
    try {
      return start();
    } catch (error) {
      queue.finish(task);
      task.reject(error instanceof Error ? error : new Error(String(error)));
      return null;
    }
  }

  function start(): Thread {
    const worker = startWorker();
    const thread: Thread = { worker, isOnline: false, task: null, timer: undefined };
    threads.add(thread);
    worker.once('online', () => {
      thread.isOnline = true;
      if (thread.task) startTimer(thread);
    });
    worker.on('message', (answer: JobReply<Result>) => {
      const task = thread.task;
      rest(thread);
      if ('result' in answer) task?.resolve(answer.result);
      else task?.reject(new Error(`worker job failed: ${answer.failure}`));
    });
    worker.on('error', (error) => end(thread, error));
    worker.on('exit', () => end(thread, new Error('worker thread ended')));
    return thread;
  }

  function startTimer(thread: Thread): void {
    const { worker } = thread;
    const worked = measureWork(() => worker.times?.() ?? times());
    const latest = performance.now() + MAX_WAITED * deadlineMs;
    const check = () => {
      const left = Math.min(deadlineMs - worked(), latest - performance.now());
      if (left <= 0) end(thread, tooSlow());
      else thread.timer = setTimeout(check, Math.ceil(left));
    };
    thread.timer = setTimeout(check, deadlineMs);
  }

  function rest(thread: Thread): void {
    clearTimeout(thread.timer);
    if (thread.task) queue.finish(thread.task);
    thread.task = null;
    thread.worker.unref();
    thread.timer = setTimeout(() => end(thread, null), idleMs).unref();
    assign();
  }

  function end(thread: Thread, error: unknown): void {
    clearTimeout(thread.timer);
    if (!threads.delete(thread)) return;
    if (thread.task) queue.finish(thread.task);
    ending += 1;
    void thread.worker.terminate().finally(() => {
      ending -= 1;
      assign();
    });
    thread.task?.reject(error instanceof Error ? error : new Error(String(error)));
  }

  return (job) =>
    new Promise((resolve, reject) => {
      const task = { job, resolve, reject };
      if (owners && queue.countBeside(task) >= owners.maxWaiting) throw owners.tooMany();
      queue.add(task);
      assign();
    });
}

/** The worker's side, in a thread or a process: one job in, one result out. The result's bytes are transferred to a thread. */
export function handleJobs<Job, Result>(
  work: (job: Job) => Promise<Result>,
  bytesOf: (result: Result) => Uint8Array[],
): void {
  const answer = async (job: Job, post: (reply: JobReply<Result>, transferred: ArrayBuffer[]) => void) => {
    try {
      const result = await work(job);
      post({ result }, transferable(bytesOf(result)));
    } catch (error) {
      post({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }, []);
    }
  };
  const port = parentPort;
  if (port) port.on('message', (job: Job) => answer(job, (...reply) => port.postMessage(...reply)));
  else handleJobsOfParent((job: Job) => answer(job, (reply) => process.send?.(reply)));
}

function handleJobsOfParent<Job>(answer: (job: Job) => void): void {
  process.on('message', answer);
  process.on('disconnect', () => process.exit());
  // A terminal sends these to the app's processes too. The app finishes its jobs, and then ends this process.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => {});
  process.send?.('online');
}

const IDLE_MS = 5_000;
const MAX_WAITED = 3;

function transferable(bytes: Uint8Array[]): ArrayBuffer[] {
  return bytes.flatMap(({ buffer, byteLength }) => (buffer.byteLength === byteLength ? [buffer as ArrayBuffer] : []));
}

/** Tasks that wait, by owner. Owners have turns, and one task at a time each, so that slow tasks of one delay no other's. */
function createFairQueue<Task>(ownerOf: (task: Task) => unknown) {
  /** The owner whose turn is next comes first. */
  const waiting = new Map<unknown, Task[]>();
  const busy = new Set<unknown>();
  return {
    /** How many tasks wait of the owner of this one. */
    countBeside: (task: Task): number => waiting.get(ownerOf(task))?.length ?? 0,
    add(task: Task): void {
      const owner = ownerOf(task);
      const tasks = waiting.get(owner);
      if (tasks) tasks.push(task);
      else waiting.set(owner, [task]);
    },
    /** Takes the task whose turn it is. Its owner has no other turn until it is finished. */
    take(): Task | null {
      for (const [owner, tasks] of waiting) {
        if (busy.has(owner)) continue;
        busy.add(owner);
        if (tasks.length === 1) waiting.delete(owner);
        return tasks.shift() ?? null;
      }
      return null;
    },
    /** Ends the turn of the task's owner, whose next one comes after those of all others. */
    finish(task: Task): void {
      const owner = ownerOf(task);
      busy.delete(owner);
      const tasks = waiting.get(owner);
      if (!tasks) return;
      waiting.delete(owner);
      waiting.set(owner, tasks);
    },
  };
}

import { parentPort, type Worker } from 'node:worker_threads';

type JobReply<Result> = { result: Result } | { failure: string };

export type WorkerPoolOptions<Job> = {
  /** Starts a worker that calls `handleJobs`. The caller spells out its URL, because bundlers find workers that way only. */
  startWorker: () => Worker;
  /** The bytes of a job. They are transferred, not copied, unless something else shares their memory. */
  bytesOf: (job: Job) => Uint8Array[];
  maxThreads: number;
  deadlineMs: number;
  /** How long a thread without a job is kept. */
  idleMs?: number;
  tooSlow: () => Error;
};

/**
 * Runs jobs in worker threads, one job at a time per thread. A job that exceeds the deadline fails and its thread is
 * terminated, which has an effect only once it is no longer waiting for a disk. Idle threads end and free their memory. Not Piscina: it starts its own worker file and names ours by a path,
 * but bundlers only build what a `new Worker(new URL(…))` names.
 */
export function createWorkerPool<Job, Result>(options: WorkerPoolOptions<Job>): (job: Job) => Promise<Result> {
  const { startWorker, bytesOf, maxThreads, deadlineMs, idleMs = IDLE_MS, tooSlow } = options;
  type Task = { job: Job; resolve: (result: Result) => void; reject: (error: Error) => void };
  type Thread = { worker: Worker; task: Task | null; timer: NodeJS.Timeout | undefined };
  const threads = new Set<Thread>();
  let ending = 0;
  const waiting: Task[] = [];

  function assign(): void {
    while (waiting.length > 0) {
      const thread =
        [...threads].find(({ task }) => task === null) ?? (threads.size + ending < maxThreads ? start() : null);
      if (!thread) return;
      clearTimeout(thread.timer);
      const task = waiting.shift() as Task;
      thread.task = task;
      thread.timer = setTimeout(() => end(thread, tooSlow()), deadlineMs);
      thread.worker.ref();
      thread.worker.postMessage(task.job, transferable(bytesOf(task.job)));
    }
  }

  function start(): Thread {
    const worker = startWorker();
    const thread: Thread = { worker, task: null, timer: undefined };
    threads.add(thread);
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

  function rest(thread: Thread): void {
    clearTimeout(thread.timer);
    thread.task = null;
    thread.worker.unref();
    thread.timer = setTimeout(() => end(thread, null), idleMs).unref();
    assign();
  }

  function end(thread: Thread, error: unknown): void {
    clearTimeout(thread.timer);
    if (!threads.delete(thread)) return;
    ending += 1;
    void thread.worker.terminate().finally(() => {
      ending -= 1;
      assign();
    });
    thread.task?.reject(error instanceof Error ? error : new Error(String(error)));
  }

  return (job) =>
    new Promise((resolve, reject) => {
      waiting.push({ job, resolve, reject });
      assign();
    });
}

/** The worker's side: one job in, one result out. The result's bytes are transferred. */
export function handleJobs<Job, Result>(
  work: (job: Job) => Promise<Result>,
  bytesOf: (result: Result) => Uint8Array[],
): void {
  parentPort?.on('message', async (job: Job) => {
    try {
      const result = await work(job);
      parentPort?.postMessage({ result }, transferable(bytesOf(result)));
    } catch (error) {
      parentPort?.postMessage({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  });
}

const IDLE_MS = 5_000;

function transferable(bytes: Uint8Array[]): ArrayBuffer[] {
  return bytes.flatMap(({ buffer, byteLength }) => (buffer.byteLength === byteLength ? [buffer as ArrayBuffer] : []));
}

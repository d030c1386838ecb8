import { Worker } from 'node:worker_threads';
import { AppError } from '@/server/errors';
import { type Job, type JobResult, work } from './message-work';

type Answer = { result: JobResult } | { failure: string };
type Task = { job: Job; resolve: (result: JobResult) => void; reject: (error: Error) => void };
type Thread = { worker: Worker; task: Task | null; timer: NodeJS.Timeout | undefined };

const MAX_THREADS = 2;
const IDLE_MS = 5_000;
// A message of the largest size takes about a second on a slow machine.
const DEADLINE_MS = 30_000;
// Up to here the work takes a few milliseconds, less than the way to a thread and back.
const INLINE_BYTES = 128 * 1024;

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1024 };

/**
 * Does the work of large messages beside the main thread, each within the deadline: a job that is not done by then ends
 * its thread. A thread that has nothing to do ends and frees its memory.
 */
export function createMessageThreads({ startWorker = startMessageWorker, deadlineMs = DEADLINE_MS } = {}) {
  const threads = new Set<Thread>();
  const waiting: Task[] = [];

  function assign(): void {
    while (waiting.length > 0) {
      const thread = [...threads].find(({ task }) => task === null) ?? (threads.size < MAX_THREADS ? start() : null);
      if (!thread) return;
      clearTimeout(thread.timer);
      const task = waiting.shift() as Task;
      thread.task = task;
      thread.timer = setTimeout(() => end(thread, tooSlow()), deadlineMs);
      thread.worker.ref();
      const { buffer, byteLength } = task.job.bytes;
      thread.worker.postMessage(task.job, buffer.byteLength === byteLength ? [buffer as ArrayBuffer] : []);
    }
  }

  function start(): Thread {
    const worker = startWorker();
    const thread: Thread = { worker, task: null, timer: undefined };
    threads.add(thread);
    worker.on('message', (answer: Answer) => {
      const task = thread.task;
      rest(thread);
      if ('result' in answer) task?.resolve(answer.result);
      else task?.reject(new Error(`preparing a message failed: ${answer.failure}`));
    });
    worker.on('error', (error) => end(thread, error));
    worker.on('exit', () => end(thread, new Error('the message thread ended')));
    return thread;
  }

  function rest(thread: Thread): void {
    clearTimeout(thread.timer);
    thread.task = null;
    thread.worker.unref();
    thread.timer = setTimeout(() => end(thread, null), IDLE_MS).unref();
    assign();
  }

  function end(thread: Thread, error: unknown): void {
    clearTimeout(thread.timer);
    if (!threads.delete(thread)) return;
    void thread.worker.terminate();
    thread.task?.reject(error instanceof Error ? error : new Error(String(error)));
    assign();
  }

  return (job: Job): Promise<JobResult> =>
    new Promise((resolve, reject) => {
      waiting.push({ job, resolve, reject });
      assign();
    });
}

const workInThread = createMessageThreads();

/** @throws SERVICE_UNAVAILABLE where the work takes longer than any honest message does */
export async function workAside(job: Job): Promise<JobResult> {
  return job.bytes.byteLength <= INLINE_BYTES ? work(job) : workInThread(job);
}

function startMessageWorker(): Worker {
  return new Worker(new URL('./message-worker.ts', import.meta.url), { resourceLimits: RESOURCE_LIMITS });
}

function tooSlow(): AppError {
  const message = 'The message could not be prepared in time. Try again in a moment.';
  return new AppError('SERVICE_UNAVAILABLE', message, { headers: { 'Retry-After': '10' } });
}

import { Worker } from 'node:worker_threads';
import { type Job, type JobResult, work } from './message-work';

const MAX_THREADS = 2;
const IDLE_MS = 5_000;
// Up to here the work takes a few milliseconds, less than the way to a thread and back.
const INLINE_BYTES = 128 * 1024;

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1024 };

type Answer = { result: JobResult } | { failure: string };
type Task = { job: Job; resolve: (result: JobResult) => void; reject: (error: Error) => void };
type Thread = { worker: Worker; task: Task | null; timer: NodeJS.Timeout | undefined };

const threads = new Set<Thread>();
const waiting: Task[] = [];

/** Does the work of a large message beside the main thread. A thread that has nothing to do ends and frees its memory. */
export async function workAside(job: Job): Promise<JobResult> {
  if (job.bytes.byteLength <= INLINE_BYTES) return work(job);
  return new Promise((resolve, reject) => {
    waiting.push({ job, resolve, reject });
    assign();
  });
}

function assign(): void {
  while (waiting.length > 0) {
    const thread = [...threads].find(({ task }) => task === null) ?? (threads.size < MAX_THREADS ? start() : null);
    if (!thread) return;
    clearTimeout(thread.timer);
    const task = waiting.shift() as Task;
    thread.task = task;
    thread.worker.ref();
    const { buffer, byteLength } = task.job.bytes;
    thread.worker.postMessage(task.job, buffer.byteLength === byteLength ? [buffer as ArrayBuffer] : []);
  }
}

function start(): Thread {
  const worker = new Worker(new URL('./message-worker.ts', import.meta.url), { resourceLimits: RESOURCE_LIMITS });
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
  thread.task = null;
  thread.worker.unref();
  thread.timer = setTimeout(() => {
    threads.delete(thread);
    void thread.worker.terminate();
  }, IDLE_MS).unref();
  assign();
}

function end(thread: Thread, error: unknown): void {
  clearTimeout(thread.timer);
  if (!threads.delete(thread)) return;
  thread.task?.reject(error instanceof Error ? error : new Error(String(error)));
  assign();
}

import { Worker } from 'node:worker_threads';
import { createWorkerPool } from '@/server/background/worker-pool';
import { AppError } from '@/server/errors';
import { type Job, type JobResult, work } from './message-work';

const MAX_THREADS = 2;
// A message of the largest size takes about a second on a slow machine.
const DEADLINE_MS = 30_000;
// Up to here the work takes a few milliseconds, less than the way to a thread and back.
const INLINE_BYTES = 128 * 1024;

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1024 };

/** Does the work of large messages beside the main thread. */
export function createMessageThreads({ startWorker = startMessageWorker, deadlineMs = DEADLINE_MS } = {}) {
  const bytesOf = ({ bytes }: Job) => [bytes];
  return createWorkerPool<Job, JobResult>({ startWorker, bytesOf, maxThreads: MAX_THREADS, deadlineMs, tooSlow });
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

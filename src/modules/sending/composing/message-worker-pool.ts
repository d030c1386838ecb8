import { Worker } from 'node:worker_threads';
import { createWorkerPool } from '@/server/background/worker-pool';
import { AppError } from '@/server/errors';
import { type Job, type JobResult, runJob } from './message-jobs';

const MAX_THREADS = 2;
// The largest message takes about a second on a slow machine.
const DEADLINE_MS = 30_000;
// Smaller jobs take a few milliseconds, less than the transfer to a thread and back.
const INLINE_BYTES = 128 * 1024;

const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1024 };

/** Prepares large messages outside the main thread. */
export function createMessageWorkerPool({ startWorker = startMessageWorker, deadlineMs = DEADLINE_MS } = {}) {
  const bytesOf = (job: Job) => [job.kind === 'rendered' ? job.unrendered.message : job.bytes];
  return createWorkerPool<Job, JobResult>({ startWorker, bytesOf, maxThreads: MAX_THREADS, deadlineMs, tooSlow });
}

const runInPool = createMessageWorkerPool();

/** Runs small jobs inline and large ones in a worker thread. @throws SERVICE_UNAVAILABLE after 30 seconds of work */
export async function runInWorker(job: Job): Promise<JobResult> {
  return sizeOf(job) <= INLINE_BYTES ? runJob(job) : runInPool(job);
}

function sizeOf(job: Job): number {
  if (job.kind !== 'rendered') return job.bytes.byteLength;
  const { html_body, text_body } = job.rendered.text;
  return job.unrendered.message.byteLength + text_body.length + (html_body?.length ?? 0);
}

function startMessageWorker(): Worker {
  return new Worker(new URL('./message-worker.ts', import.meta.url), { resourceLimits: RESOURCE_LIMITS });
}

function tooSlow(): AppError {
  const message = 'The message could not be prepared in time. Retry in a moment.';
  return new AppError('SERVICE_UNAVAILABLE', message, { headers: { 'Retry-After': '10' } });
}

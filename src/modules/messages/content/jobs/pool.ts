import { Worker } from 'node:worker_threads';
import { createWorkerPool } from '@/server/background/worker-pool';
import { AppError } from '@/server/errors';
import { type ContentJob, type ContentJobResult, runContentJob } from './jobs';

// Above this, sealing takes milliseconds of the main thread.
const INLINE_BYTES = 64 * 1024;
const DEADLINE_MS = 30_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1024 };

const bytesOf = (job: ContentJob) => [job.kind === 'seal' ? job.raw : job.sealed];

// Threads of their own for what waits for a reader, so that storing a large message delays no page, and one for storing,
// which bounds its memory.
const poolOf = (maxThreads: number) =>
  createWorkerPool<ContentJob, ContentJobResult>({
    startWorker,
    bytesOf,
    maxThreads,
    deadlineMs: DEADLINE_MS,
    tooSlow,
  });
const runToStore = poolOf(1);
const runToRead = poolOf(2);

/** Runs the job in a worker thread, or inline if sealing takes less time than the way to a thread. @throws SERVICE_UNAVAILABLE */
export async function runContentJobAside(job: ContentJob): Promise<ContentJobResult> {
  if (job.kind !== 'seal') return runToRead(job);
  return job.raw.byteLength <= INLINE_BYTES ? runContentJob(job) : runToStore(job);
}

function startWorker(): Worker {
  return new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits: RESOURCE_LIMITS });
}

function tooSlow(): AppError {
  const message = 'The message took too long to process. Download the raw message instead.';
  return new AppError('SERVICE_UNAVAILABLE', message, { headers: { 'Retry-After': '30' } });
}

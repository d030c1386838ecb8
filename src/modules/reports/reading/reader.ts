import { Worker } from 'node:worker_threads';
import { createWorkerPool } from '@/server/background/worker-pool';
import { log } from '@/server/log';
import type { ReadJob, ReadReports } from './read';

const MAX_THREADS = 1;
// A report of the maximum size takes a few seconds on a slow machine.
const DEADLINE_MS = 30_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512 };

class TooSlow extends Error {}

const readInThread = createWorkerPool<ReadJob, ReadReports>({
  startWorker: () => new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits: RESOURCE_LIMITS }),
  bytesOf: ({ bytes }) => [bytes],
  maxThreads: MAX_THREADS,
  deadlineMs: DEADLINE_MS,
  tooSlow: () => new TooSlow('The report took too long to read.'),
});

/** Reads reports in a worker thread, whose memory and time are limited. Never rejects: mail with a report must not be lost. */
export async function readReportsAside(job: ReadJob): Promise<ReadReports> {
  try {
    return await readInThread(job);
  } catch (error) {
    log.warn({ error }, 'cannot read a report');
    const reason = error instanceof TooSlow || isOutOfMemory(error) ? 'too_large' : 'malformed';
    const message = reason === 'too_large' ? 'The report takes too long to read.' : 'The file can’t be read.';
    return { reports: [], unreadable: [{ kind: null, reason, message }] };
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

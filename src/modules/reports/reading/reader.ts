import { Worker } from 'node:worker_threads';
import { createWorkerPool } from '@/server/background/worker-pool';
import { AppError } from '@/server/errors';
import { log } from '@/server/log';
import type { ReadJob, ReadReports } from './read';

const MAX_THREADS = 1;
// A report of the maximum size takes a few seconds on a slow machine.
const DEADLINE_MS = 12_000;
// Mail waits for the reports in it. More at once would make other mail wait too.
const MAX_AT_ONCE = 4;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 512 };

class TooSlow extends Error {}

const readInThread = createWorkerPool<ReadJob, ReadReports>({
  startWorker: () => new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits: RESOURCE_LIMITS }),
  bytesOf: ({ bytes }) => [bytes],
  maxThreads: MAX_THREADS,
  deadlineMs: DEADLINE_MS,
  tooSlow: () => new TooSlow('The report took too long to read.'),
});

let reading = 0;

/**
 * Reads reports in a worker thread, whose memory and time are limited, and passes them on. What is in a file never makes the
 * reading fail. Few are read and used at once.
 * @throws SERVICE_UNAVAILABLE while there are too many: they have to be sent again
 */
export async function withReports<T>(job: ReadJob, use: (found: ReadReports) => Promise<T>): Promise<T> {
  if (reading >= MAX_AT_ONCE) {
    throw new AppError('SERVICE_UNAVAILABLE', 'Too many reports are being read. Try again in a minute.', {
      headers: { 'Retry-After': '60' },
    });
  }
  reading += 1;
  try {
    return await use(await readInThread(job).catch(unreadable));
  } finally {
    reading -= 1;
  }
}

/** As `withReports`, but not limited in how they are used. */
export function readReportsAside(job: ReadJob): Promise<ReadReports> {
  return withReports(job, async (found) => found);
}

function unreadable(error: unknown): ReadReports {
  log.warn({ error }, 'cannot read a report');
  const reason = error instanceof TooSlow || isOutOfMemory(error) ? 'too_large' : 'malformed';
  const message = reason === 'too_large' ? 'The report takes too long to read.' : 'The file can’t be read.';
  return { reports: [], unreadable: [{ kind: null, reason, message }], sender: null };
}

function isOutOfMemory(error: unknown): boolean {
  return (error as { code?: string }).code === 'ERR_WORKER_OUT_OF_MEMORY';
}

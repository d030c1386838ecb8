import { Worker } from 'node:worker_threads';
import { createWorkerPool } from '@/server/background/worker-pool';
import { type FullJob, parseFields } from './full-fields';

export const MAX_THREADS = 2;

// Up to both of these parsing takes some milliseconds, whatever the message holds.
const INLINE_BYTES = 32 * 1024;
const INLINE_LINES = 2_000;
// An honest message of the largest size takes a few seconds on a slow machine.
const DEADLINE_MS = 20_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1024 };

export type ParseFields = typeof parseFields;

/** Parses large messages beside the main thread. Rejects what cannot be parsed, within the deadline or at all. */
export function createFieldsParser({ startWorker = startFullWorker, deadlineMs = DEADLINE_MS } = {}): ParseFields {
  const parseInThread = createWorkerPool<FullJob, Uint8Array>({
    startWorker,
    bytesOf: ({ raw }) => [raw],
    maxThreads: MAX_THREADS,
    deadlineMs,
    tooSlow: () => new Error('The message took too long to parse.'),
  });
  return (job) => (isQuick(job.raw) ? parseFields(job) : parseInThread(job));
}

function isQuick(raw: Uint8Array): boolean {
  if (raw.byteLength > INLINE_BYTES) return false;
  return raw.reduce((lines, byte) => (byte === 0x0a ? lines + 1 : lines), 0) <= INLINE_LINES;
}

function startFullWorker(): Worker {
  return new Worker(new URL('./full-worker.ts', import.meta.url), { resourceLimits: RESOURCE_LIMITS });
}

import { Worker } from 'node:worker_threads';
import { createWorkerPool } from '@/server/background/worker-pool';
import { type ParseJob, parseFields } from './fields';

export const MAX_THREADS = 2;

// Within both limits any message is parsed in a few milliseconds.
const INLINE_BYTES = 32 * 1024;
const INLINE_LINES = 2_000;
// A normal message of the maximum size takes a few seconds on a slow machine.
const DEADLINE_MS = 20_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 1024 };

export type ParseFields = typeof parseFields;

/** Parses large messages in worker threads. Rejects if a message cannot be parsed, or not before the deadline. */
export function createFieldsParser({ startWorker = startContentWorker, deadlineMs = DEADLINE_MS } = {}): ParseFields {
  const parseInThread = createWorkerPool<ParseJob, Uint8Array>({
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

function startContentWorker(): Worker {
  return new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits: RESOURCE_LIMITS });
}

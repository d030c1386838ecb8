import { Worker } from 'node:worker_threads';
import { createWorkerPool } from '@/server/background/worker-pool';
import { log } from '@/server/log';
import { LIMITS, type ReturnedMail } from './report';

// Mail within the limits is read in milliseconds.
const DEADLINE_MS = 5_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256 };

const readInThread = createWorkerPool<{ bytes: Uint8Array }, ReturnedMail>({
  startWorker: () => new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits: RESOURCE_LIMITS }),
  bytesOf: ({ bytes }) => [bytes],
  maxThreads: 1,
  deadlineMs: DEADLINE_MS,
  tooSlow: () => new Error('The mail took too long to read.'),
});

/** Reads the start of mail that came back, in a thread. What is in the mail never makes this fail. */
export function readReturnedAside(raw: Uint8Array): Promise<ReturnedMail> {
  // The thread takes the bytes of this copy away.
  return readInThread({ bytes: new Uint8Array(raw.subarray(0, LIMITS.bytes)) }).catch((error: unknown) => {
    log.warn({ error }, 'cannot read mail to a bounce address');
    return { kind: 'unreadable' };
  });
}

import { Worker } from 'node:worker_threads';
import { createWorkerPool } from '@/server/background/worker-pool';
import { AppError } from '@/server/errors';
import type { TemplateJob, TemplateJobResult } from './jobs';

const MAX_THREADS = 2;
/** The limits of Liquid end what takes longer than half a second; filters that they don't see run until then. */
const DEADLINE_MS = 5_000;
/** A start takes much longer than most templates. */
const IDLE_MS = 60_000;
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 256 };

/** Runs the jobs of templates in threads of their own. */
export function createTemplatePool({
  deadlineMs = DEADLINE_MS,
} = {}): (job: TemplateJob) => Promise<TemplateJobResult> {
  const run = createWorkerPool<TemplateJob, TemplateJobResult>({
    startWorker: () => new Worker(new URL('./worker.ts', import.meta.url), { resourceLimits: RESOURCE_LIMITS }),
    bytesOf: () => [],
    maxThreads: MAX_THREADS,
    idleMs: IDLE_MS,
    deadlineMs,
    tooSlow: () => unrenderable('The template takes too long to render.'),
  });
  return (job) =>
    run(job).catch((error) => {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      throw unrenderable('The template needs too much memory to render.');
    });
}

/** Checks or renders a template in a thread. @throws VALIDATION_ERROR if it takes more than 5 seconds, or too much memory */
export const runTemplateJobAside = createTemplatePool();

function unrenderable(message: string): AppError {
  return new AppError('VALIDATION_ERROR', message, { details: { fields: [{ path: 'template', message }] } });
}

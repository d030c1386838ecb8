import { startProcess } from '@/server/background/process-worker';
import { createWorkerPool } from '@/server/background/worker-pool';
import { AppError } from '@/server/errors';
import type { TemplateJob, TemplateJobResult } from './jobs';

/** The program that scripts/steps/programs.mjs bundles from `worker.ts`. */
const PROGRAM = 'node_modules/.cache/postroom/programs/modules-templates-rendering-worker.mjs';
const MAX_PROCESSES = 2;
const MAX_HEAP_MB = 256;
/** The limits of Liquid end what works longer than half a second; filters that they don't see run until then. */
const DEADLINE_MS = 5_000;
/** A start takes much longer than most templates. */
const IDLE_MS = 10 * 60_000;
/** The messages of several batches. */
const MAX_WAITING = 500;

type JobOfDomain = TemplateJob & { domainId: string };

/** Runs the jobs of templates in processes of their own, one at a time of each domain. */
export function createTemplatePool({
  deadlineMs = DEADLINE_MS,
  maxHeapMb = MAX_HEAP_MB,
  maxWaiting = MAX_WAITING,
} = {}): (job: JobOfDomain) => Promise<TemplateJobResult> {
  const run = createWorkerPool<JobOfDomain, TemplateJobResult>({
    startWorker: () => startProcess({ program: PROGRAM, maxHeapMb }),
    bytesOf: () => [],
    maxThreads: MAX_PROCESSES,
    idleMs: IDLE_MS,
    deadlineMs,
    tooSlow: () => exhausted('The template takes too long to render.'),
    owners: { ownerOf: ({ domainId }) => domainId, maxWaiting, tooMany },
  });
  return (job) =>
    run(job).catch((error) => {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      throw exhausted('The template needs too much memory to render.');
    });
}

/**
 * Checks or renders a template in another process. @throws VALIDATION_ERROR if it takes more than 5 seconds of work, or too much memory;
 * RATE_LIMIT_EXCEEDED if many templates of its domain wait
 */
export const runTemplateJobAside = createTemplatePool();

function tooMany(): AppError {
  const message = 'Many templates of this domain are waiting to be rendered. Retry in a moment.';
  return new AppError('RATE_LIMIT_EXCEEDED', message, { headers: { 'Retry-After': '10' } });
}

/** The template took as much time or memory as it can have, and may with other values. */
export class Exhausted extends AppError {}

function exhausted(message: string): Exhausted {
  return new Exhausted('VALIDATION_ERROR', message, { details: { fields: [{ path: 'template', message }] } });
}

import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import type { Job } from './message-jobs';
import { createMessageWorkerPool } from './message-worker-pool';

/** A worker that returns its thread id for each job, and hangs on a job of kind `batch`. */
const HANGING = `
  const { parentPort, threadId } = require('node:worker_threads');
  parentPort.on('message', ({ kind }) => {
    while (kind === 'batch');
    parentPort.postMessage({ result: { thread: threadId } });
  });
`;

const startWorker = () => new Worker(HANGING, { eval: true });
const job = (kind: 'message' | 'batch'): Job => ({ kind, bytes: new Uint8Array(8), at: new Date() });

it('fails a hanging job with 503 at the deadline and runs the waiting jobs in a new thread', async () => {
  const runJob = createMessageWorkerPool({ startWorker, deadlineMs: 2_000 });
  const before = await runJob(job('message'));
  const hung = [runJob(job('batch')), runJob(job('batch'))];
  const next = runJob(job('message'));
  const rejection = { status: 'rejected', reason: { apiCode: 'SERVICE_UNAVAILABLE', status: 503 } };
  expect(await Promise.allSettled(hung)).toMatchObject([rejection, rejection]);
  expect(await next).not.toEqual(before);
});

import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { createMessageThreads } from './message-threads';
import type { Job } from './message-work';

/** A worker that gives each job the number of its thread, but never comes back from one of the kind `batch`. */
const HANGING = `
  const { parentPort, threadId } = require('node:worker_threads');
  parentPort.on('message', ({ kind }) => {
    while (kind === 'batch');
    parentPort.postMessage({ result: { thread: threadId } });
  });
`;

const startWorker = () => new Worker(HANGING, { eval: true });
const job = (kind: Job['kind']): Job => ({ kind, bytes: new Uint8Array(8), at: new Date() });

it('a job that never ends is answered with a 503 at its deadline, and those that wait go on in a fresh thread', async () => {
  const work = createMessageThreads({ startWorker, deadlineMs: 2_000 });
  const before = await work(job('message'));
  const hung = [work(job('batch')), work(job('batch'))];
  const next = work(job('message'));
  const refused = { status: 'rejected', reason: { apiCode: 'SERVICE_UNAVAILABLE', status: 503 } };
  expect(await Promise.allSettled(hung)).toMatchObject([refused, refused]);
  expect(await next).not.toEqual(before);
});

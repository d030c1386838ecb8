import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { createWorkerPool, type WorkerPoolOptions } from './worker-pool';

type Job = { does: 'answer' | 'hang' | 'exit' | 'throw'; bytes?: Uint8Array };
type Result = { thread: number; heldBytes: number };

const SCRIPTED = `
  const { parentPort, threadId } = require('node:worker_threads');
  parentPort.on('message', ({ does, bytes }) => {
    while (does === 'hang');
    if (does === 'exit') process.exit(3);
    if (does === 'throw') return parentPort.postMessage({ failure: 'no such thing' });
    parentPort.postMessage({ result: { thread: threadId, heldBytes: bytes ? bytes.byteLength : 0 } });
  });
`;

function threads(over: Partial<WorkerPoolOptions<Job>> = {}) {
  return createWorkerPool<Job, Result>({
    startWorker: () => new Worker(SCRIPTED, { eval: true }),
    bytesOf: ({ bytes }) => (bytes ? [bytes] : []),
    maxThreads: 2,
    deadlineMs: 2_000,
    tooSlow: () => new Error('too slow'),
    ...over,
  });
}

it('a hanging job fails at its deadline, and waiting jobs continue in a new thread', async () => {
  const work = threads();
  const before = await work({ does: 'answer' });
  const hung = [work({ does: 'hang' }), work({ does: 'hang' })];
  const next = work({ does: 'answer' });
  for (const job of hung) await expect(job).rejects.toThrow('too slow');
  expect((await next).thread).not.toBe(before.thread);
});

it('a thread that dies fails only its own job', async () => {
  const work = threads({ maxThreads: 1 });
  const died = work({ does: 'exit' });
  const next = work({ does: 'answer' });
  await expect(died).rejects.toThrow('worker thread ended');
  expect(await next).toHaveProperty('thread');
});

it('a job that throws fails with the reason, and its thread continues', async () => {
  const work = threads({ maxThreads: 1 });
  const { thread } = await work({ does: 'answer' });
  await expect(work({ does: 'throw' })).rejects.toThrow('no such thing');
  expect((await work({ does: 'answer' })).thread).toBe(thread);
});

it('uses at most the allowed number of threads', async () => {
  const work = threads({ maxThreads: 2 });
  const results = await Promise.all(Array.from({ length: 20 }, () => work({ does: 'answer' })));
  expect(new Set(results.map(({ thread }) => thread)).size).toBeLessThanOrEqual(2);
});

it('transfers bytes, but copies shared memory', async () => {
  const work = threads();
  const whole = new Uint8Array(1000);
  const part = new Uint8Array(1000).subarray(0, 10);
  expect((await work({ does: 'answer', bytes: whole })).heldBytes).toBe(1000);
  expect((await work({ does: 'answer', bytes: part })).heldBytes).toBe(10);
  expect([whole.byteLength, part.byteLength]).toEqual([0, 10]);
});

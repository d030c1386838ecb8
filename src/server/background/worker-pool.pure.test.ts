import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { createWorkerPool, type WorkerPoolOptions } from './worker-pool';

type Job = { does: 'answer' | 'wait' | 'hang' | 'exit' | 'throw'; bytes?: Uint8Array; owner?: string };
type Result = { thread: number; heldBytes: number };

const SCRIPTED = `
  const { parentPort, threadId } = require('node:worker_threads');
  parentPort.on('message', ({ does, bytes }) => {
    while (does === 'hang');
    if (does === 'wait') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
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

describe('while other programs have the processors', () => {
  const deadlineMs = 200;
  const starved = (over: Partial<WorkerPoolOptions<Job>> = {}) =>
    threads({ deadlineMs, times: () => ({ clock: performance.now(), processors: 0 }), ...over });

  it('a job goes on after its deadline', async () => {
    expect(await starved()({ does: 'wait' })).toHaveProperty('thread');
    await expect(starved({ times: null })({ does: 'wait' })).rejects.toThrow('too slow');
  });

  it('a job ends after three times as long', async () => {
    const start = performance.now();
    await expect(starved()({ does: 'hang' })).rejects.toThrow('too slow');
    expect(performance.now() - start).toBeGreaterThanOrEqual(3 * deadlineMs);
  });
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

it('a worker that can’t be started fails only its own job', async () => {
  let starts = 0;
  const startWorker = () => {
    starts += 1;
    if (starts === 1) throw new Error('no more processes');
    return new Worker(SCRIPTED, { eval: true });
  };
  const owners = { ownerOf: () => 'one', maxWaiting: 5, tooMany: () => new Error('too many') };
  const work = threads({ startWorker, owners });
  await expect(work({ does: 'answer' })).rejects.toThrow('no more processes');
  expect(await work({ does: 'answer' })).toHaveProperty('thread');
});

describe('with owners', () => {
  const fair = (maxWaiting: number, over: Partial<WorkerPoolOptions<Job>> = {}) => {
    const tooMany = () => new Error('too many');
    return threads({ owners: { ownerOf: ({ owner = '' }) => owner, maxWaiting, tooMany }, ...over });
  };

  it('one owner’s slow jobs hold one thread, and no other owner’s jobs', async () => {
    const work = fair(10, { deadlineMs: 300 });
    const ended: string[] = [];
    const slow = Array.from({ length: 4 }, () =>
      work({ does: 'hang', owner: 'slow' }).catch(({ message }) => ended.push(message)),
    );
    const quick = Array.from({ length: 20 }, (_, count) =>
      work({ does: 'answer', owner: `quick ${count % 3}` }).then(() => ended.push('quick')),
    );
    await Promise.all([...slow, ...quick]);
    expect(ended.slice(-3)).toEqual(['too slow', 'too slow', 'too slow']);
    expect(ended.filter((one) => one === 'quick')).toHaveLength(20);
  });

  it('owners take turns, each job in its order', async () => {
    const work = fair(10, { maxThreads: 1 });
    const ended: string[] = [];
    const jobs = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) =>
      work({ does: 'answer', owner: name.charAt(0) }).then(() => ended.push(name)),
    );
    await Promise.all(jobs);
    expect(ended).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  });

  it('refuses what more of an owner would wait, and nothing of another', async () => {
    const work = fair(2);
    const jobs = Array.from({ length: 4 }, () => work({ does: 'answer', owner: 'a' }));
    const other = work({ does: 'answer', owner: 'b' });
    expect((await Promise.allSettled(jobs)).map(({ status }) => status)).toEqual([
      ...Array(3).fill('fulfilled'),
      'rejected',
    ]);
    await expect(jobs[3]).rejects.toThrow('too many');
    expect(await other).toHaveProperty('thread');
    expect(await work({ does: 'answer', owner: 'a' })).toHaveProperty('thread');
  });
});

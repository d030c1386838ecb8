import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { type Times, timesOfOther } from './work-time';
import { createWorkerPool, type WorkerPoolOptions } from './worker-pool';

type Job = { does: 'answer' | 'hang' | 'exit' | 'throw'; gate?: Int32Array; bytes?: Uint8Array; owner?: string };
type Result = { thread: number; heldBytes: number };

const SCRIPTED = `
  const { parentPort, threadId } = require('node:worker_threads');
  parentPort.on('message', ({ does, gate, bytes }) => {
    while (does === 'hang');
    if (gate) Atomics.wait(gate, 0, 0);
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

/** Holds jobs until it is open. */
function makeGate(): { gate: Int32Array; open: () => void } {
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const open = () => {
    Atomics.store(gate, 0, 1);
    Atomics.notify(gate, 0);
  };
  return { gate, open };
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
  const starved = () => ({ clock: performance.now(), processors: 0 });

  it.each([
    ['in a thread', (times: () => Times) => ({ times })],
    [
      'in a process, which has times of its own',
      (times: () => Times) => ({ startWorker: () => Object.assign(new Worker(SCRIPTED, { eval: true }), { times }) }),
    ],
  ])('a job goes on after its deadline, %s', async (_, optionsWith) => {
    const { gate, open } = makeGate();
    let asked = 0;
    const times = () => {
      asked += 1;
      // First when the job begins, then at its deadline.
      if (asked === 2) open();
      return starved();
    };
    expect(await threads({ deadlineMs: 1_000, ...optionsWith(times) })({ does: 'answer', gate })).toHaveProperty(
      'thread',
    );
    expect(asked).toBe(2);
  });

  it('a job ends after three times as long', async () => {
    const deadlineMs = 200;
    const start = performance.now();
    await expect(threads({ deadlineMs, times: starved })({ does: 'hang' })).rejects.toThrow('too slow');
    expect(performance.now() - start).toBeGreaterThanOrEqual(3 * deadlineMs);
  });
});

it('the times of another process are of the processors, and of the clock where the system counts none', () => {
  const { clock, processors } = timesOfOther(process.pid);
  const { user, system } = process.cpuUsage();
  expect(processors).toBeGreaterThan(0);
  expect(processors).toBeLessThanOrEqual(existsSync('/proc/self/schedstat') ? (user + system) / 1_000 : clock);
  const unknown = timesOfOther(undefined);
  expect(unknown.processors).toBe(unknown.clock);
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
    const work = fair(10, { deadlineMs: 60_000 });
    const { gate, open } = makeGate();
    const slow = Array.from({ length: 4 }, () => work({ does: 'answer', gate, owner: 'slow' }));
    const quick = Array.from({ length: 20 }, (_, count) => work({ does: 'answer', owner: `quick ${count % 3}` }));
    expect(await Promise.all(quick)).toHaveLength(20);
    open();
    expect(await Promise.all(slow)).toHaveLength(4);
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

import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { groupCalls, groupLookups } from './group-calls';

afterEach(() => {
  vi.useRealTimers();
});

/** Runs that end when `finish` is called. */
function heldRuns() {
  const runs: { items: number[]; finish: (error?: Error) => void }[] = [];
  const run = (items: number[]) =>
    new Promise<number[]>((resolve, reject) => {
      const finish = (error?: Error) => (error ? reject(error) : resolve(items.map((item) => item * 10)));
      runs.push({ items, finish });
    });
  return { runs, run };
}

it('calls of one turn share a run, and those that come while all runs are taken share the next', async () => {
  const { runs, run } = heldRuns();
  const call = groupCalls(run, { maxRunning: 1, maxItems: 3 });
  const first = [call(1), call(2)];
  await expect.poll(() => runs.map(({ items }) => items)).toEqual([[1, 2]]);
  const later = [call(3), call(4), call(5), call(6)];
  runs[0]?.finish();
  expect(await Promise.all(first)).toEqual([10, 20]);
  await expect
    .poll(() => runs.map(({ items }) => items))
    .toEqual([
      [1, 2],
      [3, 4, 5],
    ]);
  runs[1]?.finish();
  await expect.poll(() => runs.length).toBe(3);
  runs[2]?.finish();
  expect(await Promise.all(later)).toEqual([30, 40, 50, 60]);
});

it('a group waits until it is full, or has waited long enough', async () => {
  const { runs, run } = heldRuns();
  const call = groupCalls(run, { maxRunning: 3, maxItems: 2, waitMs: 200 });
  const first = call(1);
  await nextTurn();
  expect(runs.length).toBe(0);
  const full = call(2);
  await expect.poll(() => runs.map(({ items }) => items)).toEqual([[1, 2]]);
  const patient = call(3);
  await expect.poll(() => runs.map(({ items }) => items)).toEqual([[1, 2], [3]]);
  for (const { finish } of runs) finish();
  expect(await Promise.all([first, full, patient])).toEqual([10, 20, 30]);
});

it('a group with enough calls does not wait, and a later one waits from its own first call', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const { runs, run } = heldRuns();
  let enough = 1;
  const call = groupCalls(run, { maxRunning: 9, maxItems: 9, waitMs: 300, enough: () => enough });
  const alone = call(1);
  await nextTurn();
  expect(runs.length).toBe(1);
  enough = 2;
  const together = [call(2)];
  await nextTurn();
  vi.advanceTimersByTime(299);
  expect(runs.length).toBe(1);
  together.push(call(3));
  await nextTurn();
  expect(runs.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  const last = call(4);
  await nextTurn();
  vi.advanceTimersByTime(299);
  expect(runs.length).toBe(2);
  vi.advanceTimersByTime(1);
  expect(runs.length).toBe(3);
  for (const { finish } of runs) finish();
  expect(await Promise.all([alone, ...together, last])).toEqual([10, 20, 30, 40]);
});

it('a group that waits for one that runs starts once it ends', async () => {
  const { runs, run } = heldRuns();
  const enough = (running: number) => (running === 0 ? 1 : Infinity);
  const call = groupCalls(run, { maxRunning: 2, maxItems: 9, waitMs: 60_000, enough });
  const first = call(1);
  await expect.poll(() => runs.length).toBe(1);
  const later = [call(2), call(3)];
  runs[0]?.finish();
  await expect.poll(() => runs.map(({ items }) => items)).toEqual([[1], [2, 3]]);
  runs[1]?.finish();
  expect(await Promise.all([first, ...later])).toEqual([10, 20, 30]);
});

it('a group that has waited while all runs were taken starts with the calls it has', async () => {
  const { runs, run } = heldRuns();
  const call = groupCalls(run, { maxRunning: 1, maxItems: 3, waitMs: 50 });
  const first = call(1);
  await expect.poll(() => runs.length).toBe(1);
  const second = call(2);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(runs.length).toBe(1);
  runs[0]?.finish();
  await first;
  await nextTurn();
  expect(runs.map(({ items }) => items)).toEqual([[1], [2]]);
  runs[1]?.finish();
  expect(await second).toBe(20);
});

it('a call that fails a group fails alone', async () => {
  const call = groupCalls(
    async (items: number[]) => {
      if (items.includes(2)) throw new Error('not 2');
      return items;
    },
    { maxRunning: 1, maxItems: 3 },
  );
  expect(await Promise.allSettled([call(1), call(2), call(3)])).toMatchObject([
    { status: 'fulfilled', value: 1 },
    { status: 'rejected', reason: { message: 'not 2' } },
    { status: 'fulfilled', value: 3 },
  ]);
});

it('a group runs once if the database is away', async () => {
  let runs = 0;
  const away = Object.assign(new Error('away'), { code: 'ECONNREFUSED' });
  const call = groupCalls(
    async () => {
      runs += 1;
      throw away;
    },
    { maxRunning: 1, maxItems: 3 },
  );
  expect(await Promise.allSettled([call(1), call(2)])).toMatchObject([{ reason: away }, { reason: away }]);
  expect(runs).toBe(1);
});

it('calls share a run for as long as they may wait', async () => {
  const { runs, run } = heldRuns();
  const call = groupCalls(run, { maxRunning: 1, maxItems: 3, waitMs: 100 });
  const first = call(1);
  await nextTurn();
  const later = call(2);
  await expect.poll(() => runs.map(({ items }) => items)).toEqual([[1, 2]]);
  runs[0]?.finish();
  expect(await Promise.all([first, later])).toEqual([10, 20]);
});

it('keys that are looked up at the same time are found together, each once', async () => {
  const asked: string[][] = [];
  const find = groupLookups(
    async (keys: string[]) => {
      asked.push(keys);
      return new Map(keys.filter((key) => key !== 'none').map((key) => [key, key.toUpperCase()]));
    },
    { maxRunning: 1, maxItems: 10 },
  );
  expect(await Promise.all(['a', 'b', 'none', 'a'].map(find))).toEqual(['A', 'B', undefined, 'A']);
  expect(asked).toEqual([['a', 'b', 'none']]);
});

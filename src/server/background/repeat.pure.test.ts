import { setImmediate as pause } from 'node:timers/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { repeat } from './repeat';

const NEVER_MS = 2 ** 30;

/** A task whose runs end when released. */
function slowTask() {
  const runs: { end: () => void }[] = [];
  const task = () => new Promise<void>((resolve) => runs.push({ end: resolve }));
  return { runs, task };
}

it('keeps running a task after failures', async () => {
  let runs = 0;
  const repeated = repeat('test', 1, async () => {
    runs += 1;
    if (runs % 2) throw new Error('odd');
  });
  onTestFinished(() => repeated.end());
  await expect.poll(() => runs).toBeGreaterThan(3);
});

it('keeps running a task that throws synchronously', async () => {
  const task = vi.fn(() => {
    throw new Error('synchronous');
  });
  const repeated = repeat('test', 1, task);
  onTestFinished(() => repeated.end());
  await expect.poll(() => task.mock.calls.length).toBeGreaterThan(2);
});

it('a task requested during its run runs once more, never concurrently', async () => {
  const { runs, task } = slowTask();
  const repeated = repeat('test', NEVER_MS, task);
  repeated.runNow();
  repeated.runNow();
  repeated.runNow();
  expect(runs).toHaveLength(1);
  runs[0]?.end();
  await expect.poll(() => runs.length).toBe(2);
  runs[1]?.end();
  await repeated.end();
  expect(runs).toHaveLength(2);
});

it('ending waits for the current run, and no run follows', async () => {
  const { runs, task } = slowTask();
  const repeated = repeat('test', NEVER_MS, task);
  repeated.runNow();
  repeated.runNow();
  let hasEnded = false;
  const end = repeated.end().then(() => {
    hasEnded = true;
  });
  await pause();
  expect(hasEnded).toBe(false);
  runs[0]?.end();
  await end;
  repeated.runNow();
  await pause();
  expect(runs).toHaveLength(1);
});

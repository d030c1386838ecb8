import { type ChildProcess, spawn } from 'node:child_process';
import { expect, it, onTestFinished } from 'vitest';
import { onStall } from './stall';

const STALLED_AFTER_MS = 2_000;
const WAITS = 'setInterval(() => {}, 1000)';
const READS = `
  const file = require('node:fs').openSync('/dev/zero');
  setInterval(() => require('node:fs').readSync(file, Buffer.alloc(1_000_000)), 20);
`;

function start(program: string): ChildProcess {
  const child = spawn(process.execPath, ['-e', program], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

it('a process that waits is noticed, and one that reads is not until it waits too', async () => {
  const [waiting, reading] = [start(WAITS), start(READS)];
  const stalled: (number | undefined)[] = [];
  for (const { pid } of [waiting, reading]) onTestFinished(onStall(pid, STALLED_AFTER_MS, () => stalled.push(pid)));
  await expect.poll(() => stalled, { timeout: 30_000 }).toEqual([waiting.pid]);
  reading.kill('SIGSTOP');
  await expect.poll(() => stalled, { timeout: 30_000 }).toEqual([waiting.pid, reading.pid]);
});

it('a process that has ended is not noticed', async () => {
  const [ended, waiting] = [start(''), start(WAITS)];
  const stalled: (number | undefined)[] = [];
  for (const { pid } of [ended, waiting]) onTestFinished(onStall(pid, STALLED_AFTER_MS, () => stalled.push(pid)));
  await expect.poll(() => stalled, { timeout: 30_000 }).toEqual([waiting.pid]);
});

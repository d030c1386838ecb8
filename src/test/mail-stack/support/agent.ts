import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { mailServer } from './mail-server';

const PID = join(mailServer.data, 'run/agent/pid');
const OFF = join(mailServer.data, 'run/agent/off');
const STARTS_WITHIN_MS = 30_000;

/** As a crash: nothing of it gets to finish. It is started again at once. */
export function killAgent(): void {
  if (existsSync(PID)) kill(Number(readFileSync(PID, 'utf8')), 'SIGKILL');
}

/** Kept away while something is done, and started again. */
export async function withoutAgent<Value>(work: () => Promise<Value>): Promise<Value> {
  writeFileSync(OFF, '');
  try {
    const pid = Number(readFileSync(PID, 'utf8'));
    kill(pid, 'SIGTERM');
    await expect.poll(() => existsSync(PID), { timeout: STARTS_WITHIN_MS }).toBe(false);
    return await work();
  } finally {
    rmSync(OFF);
    await expect.poll(() => existsSync(PID), { timeout: STARTS_WITHIN_MS }).toBe(true);
  }
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

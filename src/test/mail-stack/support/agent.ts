import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { mailServer } from './mail-server';
import { signalProcesses } from './processes';

const PID = join(mailServer.data, 'run/agent/pid');
const STOPPED = join(mailServer.data, 'run/agent/stopped');
const START_TIMEOUT_MS = 60_000;

/** Kills the agent like a crash would. It is restarted immediately. */
export function killAgent(): void {
  signalAgent('SIGKILL');
}

/** Signals the agent unless it is just being restarted. */
export function signalAgent(signal: NodeJS.Signals): void {
  if (existsSync(PID)) signalProcesses([Number(readFileSync(PID, 'utf8'))], signal);
}

/** Stops the agent, runs `work` and starts it again. */
export async function whileAgentStopped<Value>(work: () => Promise<Value>): Promise<Value> {
  writeFileSync(STOPPED, '');
  try {
    signalAgent('SIGTERM');
    await expect.poll(() => existsSync(PID), { timeout: START_TIMEOUT_MS }).toBe(false);
    return await work();
  } finally {
    rmSync(STOPPED);
    await expect.poll(() => existsSync(PID), { timeout: START_TIMEOUT_MS }).toBe(true);
  }
}

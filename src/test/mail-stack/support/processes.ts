import { readFileSync } from 'node:fs';

/** A process and those that it started, directly or not. */
export function processTree(pid: number): number[] {
  return [pid, ...childrenOf(pid).flatMap(processTree)];
}

export function childrenOf(pid: number): number[] {
  return readProc(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

/** False for a process that has ended but whose parent hasn't noticed. */
export function isRunning(pid: number): boolean {
  const text = readProc(pid, 'stat');
  return text !== '' && text.slice(text.lastIndexOf(')') + 2)[0] !== 'Z';
}

/** Signals processes, of which some may have ended meanwhile. */
export function signalProcesses(pids: number[], signal: NodeJS.Signals): void {
  for (const pid of pids) ignoreEnded(() => process.kill(pid, signal));
}

/** Returns the text of a process's file in /proc; empty if the process has ended. */
export function readProc(pid: number, file: string): string {
  return ignoreEnded(() => readFileSync(`/proc/${pid}/${file}`, 'utf8')) ?? '';
}

function ignoreEnded<Value>(work: () => Value): Value | undefined {
  try {
    return work();
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes(String((error as NodeJS.ErrnoException).code))) return undefined;
    throw error;
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

export type Command = {
  file: string;
  args: string[];
  /** Where relative paths start. */
  cwd?: string;
  withinMs: number;
  onLine?: (line: string, stream: 'stdout' | 'stderr') => void;
};

export type CommandResult = { exitCode: number | null; lines: string[] };

const MAX_LINES = 500;

/**
 * Runs a program without a shell, with an environment that has none of the agent's settings. What takes too long is killed
 * with the programs it started.
 * @throws if it can't be started, or took too long
 */
export async function runCommand({ file, args, cwd, withinMs, onLine }: Command): Promise<CommandResult> {
  const child = spawn(file, args, {
    cwd,
    env: { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH, LC_ALL: 'C' },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own.
    detached: true,
  });
  const lines: string[] = [];
  for (const stream of ['stdout', 'stderr'] as const) {
    createInterface({ input: child[stream] }).on('line', (line) => {
      if (lines.length < MAX_LINES) lines.push(line);
      onLine?.(line, stream);
    });
  }
  let isTooSlow = false;
  const timer = setTimeout(() => {
    isTooSlow = true;
    signalGroup(child.pid, 'SIGKILL');
  }, withinMs);
  try {
    // Not "close", for which daemons that keep the output open would be waited for.
    const [exitCode] = (await once(child, 'exit')) as [number | null];
    await Promise.race([once(child, 'close'), new Promise((resolve) => setTimeout(resolve, 100))]);
    if (isTooSlow) throw new Error(`${nameOf(file, args)} took longer than ${withinMs / 1000} seconds and was killed.`);
    return { exitCode, lines };
  } finally {
    clearTimeout(timer);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** @throws with what the program printed, if it fails */
export async function runOrThrow(command: Command): Promise<string[]> {
  const { exitCode, lines } = await runCommand(command);
  const { file, args } = command;
  if (exitCode !== 0) throw new Error(lines.join('\n').trim() || `${nameOf(file, args)} ended with ${exitCode}.`);
  return lines;
}

/** Signals a process that was started with a group of its own, and those that it started. */
export function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function nameOf(file: string, args: string[]): string {
  return [file.split('/').at(-1), ...args.filter((arg) => !arg.startsWith('/') && arg !== '-c')].join(' ');
}

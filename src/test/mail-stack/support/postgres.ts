import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { COMMAND_TIMEOUT_MS, db } from './mail-server';
import { isRunning, processTree, signalProcesses } from './processes';

const START_TIMEOUT_MS = 30_000;

export type Postgres = Awaited<ReturnType<typeof findPostgres>>;

/** The Postgres of the test run, which a test can stop, kill and suspend. */
export async function findPostgres() {
  const [row] = await db.$queryRaw<{ folder: string }[]>`SELECT current_setting('data_directory') AS folder`;
  if (!row) throw new Error('no data directory');
  const { folder } = row;
  const pidFile = join(folder, 'postmaster.pid');
  const postmaster = () => Number(readFileSync(pidFile, 'utf8').split('\n')[0]);
  const pgCtl = join(dirname(readlinkSync(`/proc/${postmaster()}/exe`)), 'pg_ctl');
  const { uid, gid } = statSync(folder);
  // The program and its quoted arguments, with the port.
  const options = readFileSync(join(folder, 'postmaster.opts'), 'utf8').trim().replace(/^\S+ /, '');
  const run = (...args: string[]) =>
    execFileSync(pgCtl, ['-D', folder, '-w', ...args], {
      uid,
      gid,
      cwd: '/',
      stdio: 'ignore',
      timeout: COMMAND_TIMEOUT_MS,
    });
  const signal = (name: NodeJS.Signals) => {
    const pids = processTree(postmaster());
    signalProcesses(pids, name);
    return pids;
  };
  return {
    stop: () => run('stop', '-m', 'fast'),
    /** Starts it unless it is running. */
    start: () => void (existsSync(pidFile) || run('start', '-o', options)),
    async kill(): Promise<void> {
      const pids = signal('SIGKILL');
      await expect.poll(() => pids.filter(isRunning), { timeout: START_TIMEOUT_MS, interval: 20 }).toEqual([]);
      rmSync(pidFile);
    },
    suspend: () => void signal('SIGSTOP'),
    resume: () => void signal('SIGCONT'),
  };
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { signalGroup } from '../operations/run-command';
import type { BackupTarget } from './plan';
import { onStall } from './stall';

/** Restic's exit code if it stored a snapshot without files that it couldn't read. */
export const INCOMPLETE = 3;
const KILLED_AFTER_MS = 15_000;
/** Storage that doesn't answer for this long is given up. restic itself tries for a quarter of an hour, or waits forever. */
const STALLED_AFTER_MS = 10 * 60_000;
const MAX_LINES = 200;

export type Repository = {
  /** As restic names it, without secrets. */
  location: string;
  env: Record<string, string>;
  /** Options of restic before each command. */
  options?: string[];
  target: BackupTarget | { kind: 'default'; folder: string };
};

type FailureKind = 'password' | 'missing' | 'full' | 'locked' | 'stopped' | 'other';

/** Why a backup or restore couldn't be made, in a sentence. */
export class BackupFailure extends Error {
  constructor(
    readonly kind: FailureKind,
    message: string,
    /** Lines that explain the failure, such as a command's standard error. */
    readonly lines: string[] = [],
  ) {
    super(message);
  }
}

type Options = {
  signal: AbortSignal;
  /** Where relative paths start. */
  cwd?: string;
  /** Called with each line of its standard output. */
  onLine?: (line: string) => void;
  /** Called with each line of its standard error. */
  onError?: (line: string) => void;
  /** Exit codes besides 0 that aren't failures. */
  allowed?: readonly number[];
  /** Without progress, it is ended after this time. */
  stalledAfterMs?: number;
};

/**
 * Runs restic. It ends with the agent, so that none is left to hold the repository after a crash, and if it makes no progress.
 * Secrets are in its environment, which only root can read. Locks of a restic that was killed are removed.
 * @throws BackupFailure
 */
export async function runRestic(
  repository: Pick<Repository, 'location' | 'env' | 'options'>,
  args: string[],
  options: Options,
): Promise<number> {
  try {
    return await runOnce(repository, args, options);
  } catch (error) {
    if (!(error instanceof BackupFailure) || error.kind !== 'locked') throw error;
    // It leaves the locks of processes that run, and those of other hosts for half an hour after they were last renewed.
    await runOnce(repository, ['unlock'], { signal: options.signal });
    return runOnce(repository, args, options);
  }
}

async function runOnce(
  { location, env, options = [] }: Pick<Repository, 'location' | 'env' | 'options'>,
  args: string[],
  { signal, cwd, onLine, onError, allowed = [], stalledAfterMs = STALLED_AFTER_MS }: Options,
): Promise<number> {
  if (signal.aborted) throw stopped();
  const child = spawn('setpriv', ['--pdeathsig', 'INT', '--', 'restic', ...options, ...args], {
    cwd,
    env: { NODE_ENV: process.env.NODE_ENV, PATH: process.env.PATH, LC_ALL: 'C', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own.
    detached: true,
  });
  const errors: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => onLine?.(line));
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (errors.length < MAX_LINES) errors.push(line);
    onError?.(line);
  });
  const stopping = new AbortController();
  const over = new AbortController();
  const stop = () => stopping.abort();
  signal.addEventListener('abort', stop, { once: true });
  let isStalled = false;
  const endWatch = onStall(child.pid, stalledAfterMs, () => {
    isStalled = true;
    stop();
  });
  const unended = once(stopping.signal, 'abort', over).then(() => endGroup(child.pid, over.signal));
  try {
    const [exitCode] = (await Promise.race([once(child, 'close'), unended])) as [number | null];
    if (signal.aborted) throw stopped();
    if (isStalled) throw stalled(location, errors);
    if (exitCode === 0 || (exitCode !== null && allowed.includes(exitCode))) return exitCode;
    throw failureOf(location, errors);
  } finally {
    over.abort();
    endWatch();
    signal.removeEventListener('abort', stop);
  }
}

/** Resolves if not even killing it ends the process, because its disk hangs. */
async function endGroup(pid: number | undefined, signal: AbortSignal): Promise<[null]> {
  // Then restic removes its lock.
  signalGroup(pid, 'SIGINT');
  await sleep(KILLED_AFTER_MS, undefined, { signal });
  signalGroup(pid, 'SIGKILL');
  await sleep(KILLED_AFTER_MS, undefined, { signal });
  return [null];
}

/** Collects what restic prints as JSON. @throws BackupFailure */
export async function queryRestic<Result>(
  repository: Repository,
  args: string[],
  signal: AbortSignal,
): Promise<Result> {
  const lines: string[] = [];
  await runRestic(repository, [...args, '--json'], { signal, onLine: (line) => lines.push(line) });
  return JSON.parse(lines.join(''));
}

function stopped(): BackupFailure {
  return new BackupFailure('stopped', 'The mail agent was stopped.');
}

function stalled(location: string, lines: string[]): BackupFailure {
  const message = `The repository in ${location} doesn’t answer, so restic was ended. Check its storage or disk, then try again.`;
  return new BackupFailure('other', message, lines);
}

export function diskFull(): BackupFailure {
  const message = 'A disk is full: no space is left for the backup or for what is restored. Make room, then try again.';
  return new BackupFailure('full', message);
}

const CAUSES: [RegExp, FailureKind, (location: string) => string][] = [
  [
    /wrong password or no key found/,
    'password',
    (location) =>
      `The backup key doesn’t open the repository in ${location}: it was made with another one. Put the former key back, or choose another BACKUP_TARGET.`,
  ],
  [/no space left on device|disk quota exceeded/i, 'full', () => diskFull().message],
  [
    /repository is already locked/,
    'locked',
    (location) => `Another restic is working on the repository in ${location}. Wait until it has finished.`,
  ],
  [/failed to execute restic/, 'other', () => 'restic isn’t installed on this host. Run deploy/mail/install again.'],
  [
    /AccessDenied|Access Denied/,
    'other',
    (location) =>
      `The storage refuses access to ${location}. Allow the access key to list, read, write and delete there.`,
  ],
  [
    /InvalidAccessKeyId|Access Key Id you provided does not exist/,
    'other',
    () => 'The storage doesn’t know the access key. Check AWS_ACCESS_KEY_ID.',
  ],
  [
    /SignatureDoesNotMatch|signature we calculated does not match/,
    'other',
    () => 'The secret access key is wrong. Check AWS_SECRET_ACCESS_KEY, and the clock of this host.',
  ],
];

export function failureOf(location: string, lines: string[]): BackupFailure {
  const text = lines.join('\n');
  for (const [cause, kind, sentence] of CAUSES) {
    if (cause.test(text)) return new BackupFailure(kind, sentence(location), lines);
  }
  // restic asks whether there is a repository after every error of the storage.
  if (/unable to open config file/.test(text) && /does not exist|NoSuchKey|no such file/i.test(text))
    return new BackupFailure('missing', `There is no repository in ${location}.`, lines);
  const last = lines.findLast((line) => line.startsWith('Fatal: ')) ?? lines.at(-1) ?? 'It gave no reason.';
  return new BackupFailure('other', `restic failed: ${last.replace(/^Fatal: /, '')}`, lines);
}

import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { timesOfOther } from './work-time';
import type { JobRunner } from './worker-pool';

/** A start takes a fifth of a second, and longer on a busy machine. */
const START_MS = 60_000;
const MAX_OUTPUT = 4_000;
/** Signals that end this process from outside, and that can reach the processes it started too. */
const STOP_SIGNALS: readonly (NodeJS.Signals | null)[] = ['SIGTERM', 'SIGINT', 'SIGHUP'];

type Options = {
  /** The path of a file that `handleJobs` is called in, relative to the project's folder, which is the working directory. */
  program: string;
  maxHeapMb: number;
};

/**
 * Starts a process that runs jobs as a worker thread does. A thread that needs too much memory can end the whole app; such a process
 * ends alone, and the error has the code of a thread's. The process has no settings of the app. Its time zone is UTC.
 */
export function startProcess({ program, maxHeapMb }: Options): JobRunner {
  const child = spawn(process.execPath, [`--max-old-space-size=${maxHeapMb}`, program], {
    env: { NODE_ENV: process.env.NODE_ENV, TZ: 'UTC', TMPDIR: process.env.TMPDIR },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    serialization: 'advanced',
  });
  const kill = () => child.kill('SIGKILL');
  const startTimer = setTimeout(kill, START_MS).unref();
  process.once('exit', kill);
  child.once('exit', () => {
    clearTimeout(startTimer);
    process.off('exit', kill);
  });

  let output = '';
  const stderr = child.stderr as Socket;
  stderr.on('data', (bytes) => {
    output = `${output}${bytes}`.slice(-MAX_OUTPUT);
  });
  stderr.unref();

  const runner = Object.assign(new EventEmitter(), {
    postMessage: (job: object) => {
      child.send(job);
    },
    ref: () => {
      child.ref();
      child.channel?.ref();
    },
    unref: () => {
      child.unref();
      child.channel?.unref();
    },
    times: () => timesOfOther(child.pid),
    terminate: async () => {
      const hasEnded = child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
      if (hasEnded) return;
      kill();
      await once(child, 'exit');
    },
  });
  child.once('message', () => {
    clearTimeout(startTimer);
    runner.emit('online');
    child.on('message', (answer) => runner.emit('message', answer));
  });
  child.on('error', (error) => runner.emit('error', error));
  child.on('exit', (code, signal) => {
    if (signal !== null && !STOP_SIGNALS.includes(signal)) runner.emit('error', outOfMemory(signal));
    // The rest of the process's output arrives after its exit.
    else child.once('close', () => runner.emit('error', new Error(`process ended with ${signal ?? code}: ${output}`)));
  });
  return runner;
}

function outOfMemory(signal: string): Error {
  return Object.assign(new Error(`process ended with ${signal}`), { code: 'ERR_WORKER_OUT_OF_MEMORY' });
}

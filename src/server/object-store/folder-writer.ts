import { Worker } from 'node:worker_threads';
import { groupCalls } from '../background/group-calls';
import { createWorkerPool } from '../background/worker-pool';
import type { FolderToWrite, NewFile, WriteFailure } from './folder-files';

const MAX_FILES = 64;
const WAIT_MS = 10;
const DEADLINE_MS = 60_000;
/** Usually longer than the time between two messages: starting a thread costs more than many files. */
const IDLE_MS = 10 * 60_000;

type Result = WriteFailure | null;

const runInThread = createWorkerPool<{ folder: FolderToWrite; files: NewFile[] }, Result[]>({
  startWorker: () => new Worker(new URL('./folder-thread.ts', import.meta.url)),
  bytesOf: ({ files }) => files.map(({ bytes }) => bytes),
  maxThreads: 1,
  deadlineMs: DEADLINE_MS,
  idleMs: IDLE_MS,
  tooSlow: () => new Error('The files were not written in time.'),
});

/**
 * Writes files of a folder in a thread, together those that come at about the same time. On the main thread, each of a
 * file's calls is handed to a thread and back, which costs more than the calls. The bytes are moved to the thread.
 */
export function createFolderWriter(folder: FolderToWrite): (file: NewFile) => Promise<Result> {
  // It never rejects: a second attempt would find the bytes moved.
  const writeAll = (files: NewFile[]): Promise<Result[]> =>
    runInThread({ folder, files }).catch(({ message }: Error) => files.map(() => ({ code: '', message })));
  return groupCalls(writeAll, { maxRunning: 1, maxItems: MAX_FILES, waitMs: WAIT_MS });
}

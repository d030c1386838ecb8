import { handleJobs } from '../background/worker-pool';
import { type FolderToWrite, type NewFile, type WriteFailure, writeFiles } from './folder-files';

/** Runs in the thread of folder-writer.ts. */
handleJobs<{ folder: FolderToWrite; files: NewFile[] }, (WriteFailure | null)[]>(
  async ({ folder, files }) => writeFiles(folder, files),
  () => [],
);

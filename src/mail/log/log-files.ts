import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type LogFile, openIfExists, readChunks } from './log-file';

/** Position in a log: the file, identified across renames, and the byte offset. */
export type LogPosition = { file: string; offset: number };

type LogChunk = { lines: string[]; position: LogPosition };

// Size of what one transaction records.
const CHUNK_BYTES = 64 * 1024;

export type OpenLog = {
  /** Reads from a position to the end at the time of opening; each chunk has the position after it. */
  read: (from: LogPosition | null, onGap: () => void) => AsyncGenerator<LogChunk>;
  close: () => Promise<void>;
};

/**
 * Opens a log with its rotated files, which stay uncompressed next to it under names that sort by time
 * (`mail.log.20261121-093000`). Only complete lines are read. If the last read file is gone, all remaining files are read
 * from the oldest, and `onGap` is called.
 */
export async function openLog(path: string): Promise<OpenLog> {
  const files = await openFiles(path);
  return {
    async *read(from, onGap) {
      const start = from ? files.findIndex(({ id }) => id === from.file) : 0;
      if (start < 0) onGap();
      for (const [index, file] of files.slice(Math.max(start, 0)).entries()) {
        yield* readFile(file, index === 0 && start >= 0 && from ? from.offset : 0);
      }
    },
    close: () => closeAll(files),
  };
}

type OpenFile = LogFile & { id: string };

/** Oldest first. Starts over if a file was renamed while they were opened. */
async function openFiles(path: string): Promise<OpenFile[]> {
  for (;;) {
    const names = await logNames(path);
    const files: OpenFile[] = [];
    for (const name of names) {
      const file = await openFile(join(dirname(path), name));
      if (file) files.push(file);
    }
    const isSame = (await logNames(path)).join() === names.join();
    if (isSame) return files;
    await closeAll(files);
  }
}

async function closeAll(files: OpenFile[]): Promise<void> {
  await Promise.all(files.map(({ handle }) => handle.close()));
}

async function logNames(path: string): Promise<string[]> {
  const name = basename(path);
  const names = await readdir(dirname(path));
  const rotated = names.filter((other) => other.startsWith(`${name}.`)).toSorted();
  return names.includes(name) ? [...rotated, name] : rotated;
}

/** Files are identified by inode and first line. Without a complete line there is nothing to read. */
async function openFile(path: string): Promise<OpenFile | null> {
  const file = await openIfExists(path);
  if (!file) return null;
  if (file.firstLine !== null) return { ...file, id: `${file.inode} ${file.firstLine.slice(0, 16)}` };
  await file.handle.close();
  return null;
}

async function* readFile(file: OpenFile, from: number): AsyncGenerator<LogChunk> {
  for await (const { lines, offset } of readChunks(file, from, CHUNK_BYTES)) {
    // A host crash may leave zero bytes in a file.
    yield { lines: lines.map((line) => line.replaceAll('\0', '')), position: { file: file.id, offset } };
  }
}

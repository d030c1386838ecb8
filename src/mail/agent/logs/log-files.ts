import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { type LogFile, openIfThere, readChunks } from './log-file';

/** Up to where a log was read: which file, through renames, and the byte offset in it. */
export type LogPosition = { file: string; offset: number };

type LogChunk = { lines: string[]; position: LogPosition };

// What one transaction records.
const CHUNK_BYTES = 64 * 1024;

export type OpenLog = {
  /** From a position on up to where the log ended when it was opened; each chunk tells how far it goes. */
  read: (from: LogPosition | null, onGap: () => void) => AsyncGenerator<LogChunk>;
  close: () => Promise<void>;
};

/**
 * Opens a log as it is now, with its rotated files, which stay beside it as they are under names that sort by time
 * (`mail.log.20261121-093000`). Only whole lines count. Where the file that was read last is gone, all that is left is read
 * again, oldest first, and `onGap` hears of it.
 */
export async function openLog(path: string): Promise<OpenLog> {
  const files = await openFiles(path);
  return {
    async *read(from, onGap) {
      const at = from ? files.findIndex(({ id }) => id === from.file) : 0;
      if (at < 0) onGap();
      for (const [index, file] of files.slice(Math.max(at, 0)).entries()) {
        yield* readFile(file, index === 0 && at >= 0 && from ? from.offset : 0);
      }
    },
    close: () => closeAll(files),
  };
}

type OpenFile = LogFile & { id: string };

/** Oldest first. A file that another took the name of while they were opened is looked for anew. */
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

/** A file is known by its inode and first line. Without a whole line there is nothing to read. */
async function openFile(path: string): Promise<OpenFile | null> {
  const file = await openIfThere(path);
  if (!file) return null;
  if (file.firstLine !== null) return { ...file, id: `${file.inode} ${file.firstLine.slice(0, 16)}` };
  await file.handle.close();
  return null;
}

async function* readFile(file: OpenFile, from: number): AsyncGenerator<LogChunk> {
  for await (const { lines, offset } of readChunks(file, from, CHUNK_BYTES)) {
    // A crash of the host may leave zeros in a file.
    yield { lines: lines.map((line) => line.replaceAll('\0', '')), position: { file: file.id, offset } };
  }
}

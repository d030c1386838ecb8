import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Up to where a log was read: which file, through renames, and the byte offset in it. */
export type LogPosition = { file: string; offset: number };

type LogChunk = { lines: string[]; position: LogPosition };

const CHUNK_BYTES = 64 * 1024;
const FIRST_LINE_BYTES = 4096;

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

type OpenFile = { id: string; size: number; handle: FileHandle };

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

/** A file is known by its inode and first line: inodes are used again. Without a whole line there is nothing to read. */
async function openFile(path: string): Promise<OpenFile | null> {
  const handle = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!handle) return null;
  const start = Buffer.alloc(FIRST_LINE_BYTES);
  const { bytesRead } = await handle.read(start, 0, FIRST_LINE_BYTES, 0);
  const end = start.subarray(0, bytesRead).indexOf(NEWLINE);
  if (end < 0 && bytesRead < FIRST_LINE_BYTES) {
    await handle.close();
    return null;
  }
  const { ino, size } = await handle.stat();
  const digest = createHash('sha256').update(start.subarray(0, end < 0 ? bytesRead : end));
  return { id: `${ino} ${digest.digest('hex').slice(0, 16)}`, size, handle };
}

async function* readFile({ id: file, size, handle }: OpenFile, from: number): AsyncGenerator<LogChunk> {
  const buffer = Buffer.alloc(CHUNK_BYTES);
  for (let offset = from; offset < size; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(CHUNK_BYTES, size - offset), offset);
    const chunk = buffer.subarray(0, bytesRead);
    const end = chunk.lastIndexOf(NEWLINE);
    // What fills a chunk without an end is no line of Postfix.
    if (end < 0 && bytesRead < CHUNK_BYTES) return;
    offset += end < 0 ? bytesRead : end + 1;
    // A crash of the host may leave zeros in a file.
    const lines = end < 0 ? [] : chunk.toString('utf8', 0, end).replaceAll('\0', '').split('\n');
    yield { lines, position: { file, offset } };
  }
}

const NEWLINE = 0x0a;

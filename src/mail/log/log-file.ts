import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';

/** A log at the time it was opened. `firstLine` is a digest, since inodes are reused; null without a complete line. */
export type LogFile = { handle: FileHandle; inode: number; size: number; firstLine: string | null };

const CHUNK_BYTES = 256 * 1024;
const FIRST_LINE_BYTES = 4096;
const NEWLINE = 0x0a;

/** @returns null if the file does not exist */
export function openIfExists(path: string): Promise<LogFile | null> {
  return openLogFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
}

export async function openLogFile(path: string): Promise<LogFile> {
  const handle = await open(path, 'r');
  try {
    const start = Buffer.alloc(FIRST_LINE_BYTES);
    const { bytesRead } = await handle.read(start, 0, FIRST_LINE_BYTES, 0);
    const end = start.subarray(0, bytesRead).indexOf(NEWLINE);
    const isWhole = end >= 0 || bytesRead === FIRST_LINE_BYTES;
    const firstLine = start.subarray(0, end < 0 ? bytesRead : end);
    const { ino: inode, size } = await handle.stat();
    return { handle, inode, size, firstLine: isWhole ? createHash('sha256').update(firstLine).digest('hex') : null };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Complete lines up to the size at the time of opening, in chunks with the offset after each. */
export async function* readChunks(
  { handle, size }: LogFile,
  from: number,
  chunkBytes = CHUNK_BYTES,
): AsyncGenerator<{ lines: string[]; offset: number }> {
  const buffer = Buffer.alloc(chunkBytes);
  for (let offset = from; offset < size; ) {
    const { bytesRead } = await handle.read(buffer, 0, Math.min(chunkBytes, size - offset), offset);
    const chunk = buffer.subarray(0, bytesRead);
    const end = chunk.lastIndexOf(NEWLINE);
    // A chunk without a line end contains no log line.
    if (end < 0 && bytesRead < chunkBytes) return;
    offset += end < 0 ? bytesRead : end + 1;
    yield { lines: end < 0 ? [] : chunk.toString('utf8', 0, end).split('\n'), offset };
  }
}

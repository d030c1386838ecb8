import { mkdir, open, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** Writes a file that only this user can read. It survives a power failure, and is never there in part. */
export async function writeDurably(file: string, text: string): Promise<void> {
  const folder = path.dirname(file);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFile(`${file}.new`, text, { mode: 0o600, flush: true });
  await rename(`${file}.new`, file);
  await syncFolder(folder);
}

/** Makes a new name in a folder survive a power failure. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

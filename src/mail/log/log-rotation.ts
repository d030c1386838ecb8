import { execFile } from 'node:child_process';
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Installation } from '../agent/installation';

const MAX_BYTES = 64 * 1024 * 1024;
const RETENTION_MS = 14 * 24 * 60 * 60 * 1000;
const TIMEOUT_MS = 30_000;

const run = promisify(execFile);

/**
 * Rotates Postfix's log once it is long, and deletes files rotated two weeks ago. Nothing else may do this, because rotated
 * files must stay uncompressed and in place until they are read. Call it after the log is read.
 */
export async function rotateLog({ config, postfixLog }: Installation, now: Date, maxBytes = MAX_BYTES): Promise<void> {
  const { size } = await stat(postfixLog);
  if (size > maxBytes) {
    await run('postfix', ['-c', join(config, 'postfix'), 'logrotate'], { timeout: TIMEOUT_MS });
  }
  const folder = dirname(postfixLog);
  const rotated = (await readdir(folder)).filter((name) => name.startsWith(`${basename(postfixLog)}.`));
  for (const name of rotated) {
    const path = join(folder, name);
    if (now.getTime() - (await stat(path)).mtimeMs > RETENTION_MS) await rm(path);
  }
}

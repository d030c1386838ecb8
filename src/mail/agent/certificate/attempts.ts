import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const FIRST_WAIT_MS = 15 * 60_000;
const MAX_WAIT_MS = 6 * 60 * 60_000;

const FailedAttempts = z.object({ count: z.int().positive(), lastAt: z.iso.datetime(), message: z.string() });
export type FailedAttempts = z.infer<typeof FailedAttempts>;

/**
 * Failures to get a certificate since the last success. They are in a file, because an ACME server bans clients that try
 * again with each restart: Let's Encrypt allows five failures an hour.
 */
export function failedAttempts(data: string) {
  const path = join(data, 'acme/failures.json');
  return {
    async read(): Promise<FailedAttempts | null> {
      const text = await readFile(path, 'utf8').catch(ifMissing);
      return text === null ? null : parse(text);
    },
    async add(failures: FailedAttempts): Promise<void> {
      await writeFile(`${path}.new`, JSON.stringify(failures), { mode: 0o600, flush: true });
      await rename(`${path}.new`, path);
    },
    clear: () => rm(path, { force: true }),
  };
}

/** When to try again: after 15 minutes, then twice as long, up to six hours. */
export function nextAttemptAt({ count, lastAt }: FailedAttempts): Date {
  return new Date(Date.parse(lastAt) + Math.min(FIRST_WAIT_MS * 2 ** (count - 1), MAX_WAIT_MS));
}

/** A file that was cut off says nothing. */
function parse(text: string): FailedAttempts | null {
  try {
    return FailedAttempts.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

function ifMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { formatPlural } from '@/lib/format';
import { runCommand } from '../operations/run-command';

/** In the mail, by deploy/mail/restore. */
const MARK = 'mail/.restored';
const TIMEOUT_MS = 60 * 60_000;
/** EX_NOUSER: a mailbox that was deleted, or isn't active. Its index is repaired when someone opens it. */
const NO_USER = 67;

/** One mailbox that always fails would keep Dovecot busy. */
const PAUSE_MS = 10 * 60_000;
const MAX_NAMED = 20;

type Place = { data: string; config: string };

/**
 * After all mail was restored: a message that arrived while the backup ran may be in the snapshot but not in its folder's
 * index, or the other way round. One mailbox that fails doesn't keep the others waiting: it is tried again after a pause.
 * @returns a function that does it, and resolves to how many mailboxes it has looked at
 */
export function createRestoreCompletion(pauseMs = PAUSE_MS): (place: Place) => Promise<number> {
  const done = new Set<string>();
  let nextAt = 0;
  return async ({ data, config }) => {
    if (!existsSync(join(data, MARK)) || performance.now() < nextAt) return 0;
    const failed: string[] = [];
    let count = 0;
    for (const address of await mailboxesIn(join(data, 'mail'))) {
      if (done.has(address)) continue;
      const failure = await resync(address, config);
      count += 1;
      if (failure === null) done.add(address);
      else failed.push(`${address}: ${failure}`);
    }
    if (failed.length > 0) {
      nextAt = performance.now() + pauseMs;
      throw new Error(
        `Dovecot couldn’t complete ${formatPlural(failed.length, 'mailbox', 'mailboxes')}. ${failed.slice(0, MAX_NAMED).join(' ')}`,
      );
    }
    await rm(join(data, MARK), { force: true });
    done.clear();
    return count;
  };
}

/** @returns why it failed; null if it didn't */
async function resync(address: string, config: string): Promise<string | null> {
  const args = ['-c', join(config, 'dovecot/dovecot.conf'), 'force-resync', '-u', address, '--', '*'];
  try {
    const { exitCode, lines } = await runCommand({ file: 'doveadm', args, withinMs: TIMEOUT_MS });
    return exitCode === 0 || exitCode === NO_USER ? null : (lines.at(-1) ?? `doveadm ended with ${exitCode}.`);
  } catch (error) {
    return (error as Error).message;
  }
}

async function mailboxesIn(folder: string): Promise<string[]> {
  const domains = await foldersIn(folder);
  const names = domains.map(async (domain) =>
    (await foldersIn(join(folder, domain))).map((name) => `${name}@${domain}`),
  );
  return (await Promise.all(names)).flat();
}

async function foldersIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory() && !entry.name.startsWith('.')).map(({ name }) => name);
}

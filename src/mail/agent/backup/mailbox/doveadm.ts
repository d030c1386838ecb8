import { readdir, readFile, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Installation } from '../../installation';
import { runCommand } from '../../operations/run-command';
import { BackupFailure } from '../restic';

const TIMEOUT_MS = 60 * 60_000;
const QUIET_WITHIN_MS = 20_000;
const PAUSE_MS = 100;
/** EX_NOUSER */
const NO_USER = 67;

export type StoredMessage = { mailboxGuid: string; guid: string; uid: string };
/** A folder's UIDVALIDITY, which makes its UIDs unique, the next UID that it gives out, and the modseq of its last change. */
export type FolderNumbers = { name: string; validity: number; nextUid: string; highestModseq: string };

/** Commands of Dovecot for one mailbox, as its owner. */
export function doveadmFor({ config, dovecot }: Pick<Installation, 'config' | 'dovecot'>, user: string) {
  const mailIn = (location: string) =>
    dovecot === '2.3' ? `mail_location=${sdbox(location)}` : `mail_path=${location}`;
  const run = async (args: string[], { location }: { location?: string } = {}): Promise<string[]> => {
    const lines: string[] = [];
    // Without plugins, which would count a copy towards the quota and report its size to Postroom.
    const copy = location ? ['-o', mailIn(location), '-o', 'mail_plugins='] : [];
    const { exitCode, lines: printed } = await runCommand({
      file: 'doveadm',
      args: ['-c', join(config, 'dovecot/dovecot.conf'), ...copy, ...args],
      withinMs: TIMEOUT_MS,
      // While the mailbox is blocked, doveadm complains that it can't enter its folder.
      onLine: (line, stream) => stream === 'stdout' && lines.push(line),
    });
    if (exitCode === NO_USER)
      throw new BackupFailure('other', `Dovecot doesn’t know ${user}. The mailbox must be active.`);
    if (exitCode !== 0) throw new BackupFailure('other', 'Dovecot couldn’t do it. Check that it runs.', printed);
    return lines;
  };
  return {
    /** Adds messages that an index doesn't have, and removes those that have no file. */
    resync: (location: string) => run(['force-resync', '-u', user, '--', '*'], { location }),
    async messages(location: string): Promise<StoredMessage[]> {
      const search = ['mailbox', '*', 'all'];
      const fields = 'mailbox-guid guid uid';
      const [, ...rows] = await run(['-f', 'tab', 'fetch', '-u', user, '--', fields, ...search], { location });
      return rows.map((row) => {
        const [mailboxGuid = '', guid = '', uid = ''] = row.split('\t');
        return { mailboxGuid, guid, uid };
      });
    },
    /** Copies messages with their flags. @param to the folder that gets the folders they are in; '' for the same ones */
    copy: (from: string, location: string, to: string, search: string[]) =>
      run(['import', '-u', user, '--', sdbox(from), to, ...search], { location }),
    async numbers(location: string): Promise<FolderNumbers[]> {
      // In the order in which they are printed.
      const fields = 'uidnext uidvalidity highestmodseq';
      const [, ...rows] = await run(['-f', 'tab', 'mailbox', 'status', '-u', user, '--', fields, '*'], { location });
      return rows.map((row) => {
        const [name = '', nextUid = '', validity, highestModseq = ''] = row.split('\t');
        return { name, validity: Number(validity), nextUid, highestModseq };
      });
    },
    /** Makes a folder give out no number again. */
    raiseNumbers: (location: string, { name, nextUid, highestModseq }: FolderNumbers) =>
      run(
        [
          ...['mailbox', 'update', '-u', user],
          ...['--min-next-uid', nextUid, '--min-highest-modseq', highestModseq, '--', name],
        ],
        { location },
      ),
    /** Makes the UIDs of a folder others than those it has given out. */
    setValidity: (location: string, name: string, validity: number) =>
      run(['mailbox', 'update', '-u', user, '--uid-validity', String(validity), '--', name], { location }),
    async bytes(location?: string): Promise<number> {
      const [, ...rows] = await run(['-f', 'tab', 'mailbox', 'status', '-u', user, '--', 'vsize', '*'], { location });
      return rows.reduce((sum, row) => sum + Number(row.split('\t')[1] ?? 0), 0);
    },
    /** Null for none. */
    async quotaBytes(): Promise<number | null> {
      const rows = await run(['-f', 'tab', 'quota', 'get', '-u', user]);
      const limit = rows.map((row) => row.split('\t')).find(([, type]) => type === 'STORAGE')?.[3];
      return limit && /^\d+$/.test(limit) ? Number(limit) * 1024 : null;
    },
    folders: () => run(['mailbox', 'list', '-u', user]),
    subscribe: (names: string[]) => run(['mailbox', 'subscribe', '-u', user, '--', ...names]),
    /** Ends the sessions of the mailbox. Exit code 68: there is none. */
    kick: () =>
      runCommand({
        file: 'doveadm',
        args: ['-c', join(config, 'dovecot/dovecot.conf'), 'kick', '--', user],
        withinMs: 30_000,
      }),
  };
}

const sdbox = (location: string) => `sdbox:${location}`;

/** Resolves once no process has a file below the folder open. @returns false if that takes too long */
export async function waitUntilUnused(folder: string, { withinMs = QUIET_WITHIN_MS } = {}): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  // The kernel names files so. The folder itself may not be there.
  const real = join(await realpath(dirname(folder)), basename(folder));
  while (performance.now() < deadline) {
    if (!(await isUsed(real))) return true;
    await sleep(PAUSE_MS);
  }
  return false;
}

async function isUsed(folder: string): Promise<boolean> {
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    const mapped = await readFile(`/proc/${pid}/maps`, 'utf8').catch(() => '');
    if (mapped.includes(`${folder}/`)) return true;
    const open = await readdir(`/proc/${pid}/fd`).catch(() => []);
    for (const name of open) {
      const target = await readlink(`/proc/${pid}/fd/${name}`).catch(() => '');
      if (target.startsWith(`${folder}/`)) return true;
    }
  }
  return false;
}

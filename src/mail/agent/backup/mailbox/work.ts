import { type FileHandle, lstat, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Installation } from '../../installation';
import { backupFolder } from '../repository';
import { BackupFailure } from '../restic';
import { entryOf, makeRootFolder, openFolder, runAsOwner } from './folders';

/** In DATA_DIR, on the file system of the mail: what is restored becomes a mailbox by being renamed. */
export const RESTORE_FOLDER = 'mail/.restore';

/** Folders for one restore. */
export type Work = {
  data: string;
  /** Owner of the mail. */
  uid: number;
  /** For root alone: what restic writes, and the journal. */
  vault: string;
  /** A folder of the mail's owner, beside its mailboxes. */
  folder: string;
};

type Owner = Pick<Installation, 'data' | 'filters'>;

/** The mailbox being replaced, which is put back if the agent is killed meanwhile: its folder below that of all mail. */
type Journal = { folder: string };

const ID = /^[0-9a-f-]{36}$/;
const FOLDER = /^[a-z0-9.-]+\/[^/\0]+\/[0-9a-f-]{36}$/;
const MODE = 0o700;

const vaults = (data: string) => join(backupFolder(data), 'restore');
const journalIn = ({ vault }: Work) => join(vault, 'journal.json');
/** The mailbox as it was before. */
export const formerIn = ({ folder }: Work) => join(folder, 'former');
/** The mail of the snapshot. */
export const restoredIn = ({ folder }: Work) => join(folder, 'restored');
const mailRoot = (data: string) => join(data, 'mail');

/** Whether it is the folder of a mailbox below that of all mail. */
export function isMailboxFolder(folder: string): boolean {
  return FOLDER.test(folder) && !folder.split('/').some((name) => name === '.' || name === '..');
}

export async function makeWork(owner: Owner, id: string): Promise<Work> {
  const work = workOf(owner, id);
  await makeRootFolder(backupFolder(owner.data));
  await makeRootFolder(vaults(owner.data));
  await makeRootFolder(work.vault);
  await makeFolders(work.uid, [join(owner.data, RESTORE_FOLDER), work.folder]);
  return work;
}

/** Makes what is missing of a mailbox's folder, as Dovecot does with its first mail. @throws BackupFailure for a symlink */
export async function makeHome({ data, uid }: Work, folder: string): Promise<string> {
  const names = folder.split('/');
  const paths = names.map((_, index) => join(mailRoot(data), ...names.slice(0, index + 1)));
  await makeFolders(uid, paths);
  const handle = await openFolder(mailRoot(data), folder);
  await handle.close();
  const mail = await openFolder(mailRoot(data), `${folder}/mail`).catch(orNone);
  if (mail) await mail.close();
  return join(mailRoot(data), folder);
}

/** As the owner of the mail. */
export const makeFolders = (uid: number, paths: string[]) =>
  runAsOwner(uid, ['mkdir', '-p', '-m', '700', '--', ...paths]);

/** @param folder what is left of the restore */
export type RecoveryFailed = (error: unknown, folder: string) => void;

/**
 * Undoes what restores have left half done when the agent was killed. It can be repeated. What can't be undone stays, for an
 * admin to look at, and stops nothing else.
 */
export async function recoverRestores(owner: Owner, onFailure: RecoveryFailed): Promise<void> {
  const names = await readdir(vaults(owner.data)).catch(orNone);
  if (!names) return;
  for (const name of names) {
    try {
      await makeRootFolder(vaults(owner.data));
      await endWork(workOf(owner, name));
    } catch (error) {
      onFailure(error, join(vaults(owner.data), name));
    }
  }
}

/** Removes a restore's folders, after the mailbox is as before if it wasn't replaced. */
export async function endWork(work: Work): Promise<void> {
  const journal = await readJournal(work);
  if (journal) await unblock(work, journal);
  await runAsOwner(work.uid, ['rm', '-rf', '--', work.folder]);
  await rm(work.vault, { recursive: true, force: true });
}

export type Blocked = { home: FileHandle; folder: FileHandle; unblock: () => Promise<void> };

/**
 * Keeps Dovecot out of a mailbox: it defers deliveries and refuses sign-ins for a moment.
 * @returns its folder and the one of the restore, and a function that ends it, with the mailbox as it was unless another
 * one is in its place
 */
export async function blockMailbox(work: Work, folder: string): Promise<Blocked> {
  const [home, own] = await openBoth(work, { folder });
  const close = () => Promise.all([home.close(), own.close()]);
  try {
    const text = JSON.stringify({ folder } satisfies Journal);
    await writeFile(`${journalIn(work)}.new`, text, { mode: 0o600, flush: true });
    await rename(`${journalIn(work)}.new`, journalIn(work));
    await home.chown(0, 0);
    await home.chmod(MODE);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    home,
    folder: own,
    unblock: async () => {
      await close();
      await unblock(work, { folder });
    },
  };
}

async function unblock(work: Work, journal: Journal): Promise<void> {
  const [home, own] = await openBoth(work, journal);
  try {
    const mail = await lstat(entryOf(home, 'mail')).catch(orNone);
    if (!mail) await rename(entryOf(own, 'former'), entryOf(home, 'mail')).catch(orNone);
    await home.chmod(MODE);
    await home.chown(work.uid, work.uid);
  } finally {
    await Promise.all([home.close(), own.close()]);
  }
  await rm(journalIn(work), { force: true });
}

async function openBoth({ data, folder: own }: Work, { folder }: Journal): Promise<[FileHandle, FileHandle]> {
  const home = await openFolder(mailRoot(data), folder);
  try {
    return [home, await openFolder(mailRoot(data), own.slice(mailRoot(data).length + 1))];
  } catch (error) {
    await home.close();
    throw error;
  }
}

async function readJournal(work: Work): Promise<Journal | null> {
  const text = await readFile(journalIn(work), 'utf8').catch(orNone);
  if (text === null) return null;
  const journal: Journal = JSON.parse(text);
  if (!isMailboxFolder(journal.folder)) throw new BackupFailure('other', `${journalIn(work)} names no mailbox.`);
  return journal;
}

function workOf({ data, filters: { uid } }: Owner, id: string): Work {
  if (!ID.test(id)) throw new BackupFailure('other', `${join(vaults(data), id)} is not of a restore. Remove it.`);
  return { data, uid, vault: join(vaults(data), id), folder: join(data, RESTORE_FOLDER, id) };
}

function orNone(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT') return null;
  throw error;
}

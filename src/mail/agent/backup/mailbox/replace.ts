import { lstat, rename } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { formatPlural } from '@/lib/format';
import { BackupFailure } from '../restic';
import { type FolderNumbers, type StoredMessage, waitUntilUnused } from './doveadm';
import { entryOf, requireUsable } from './folders';
import { type RestoredMailbox, requireRoom } from './restored-mailbox';
import { blockMailbox, formerIn } from './work';

/** A command has room for this many. */
const UIDS_AT_ONCE = 500;

/**
 * Puts the mail of a snapshot in the place of the mailbox. Messages that aren't in the snapshot stay in their folders.
 * Nobody is in the mailbox meanwhile; whatever fails, it is as before.
 */
export async function replaceMailbox(restore: RestoredMailbox): Promise<string> {
  const { doveadm, home, folder, work, restored, run } = restore;
  run.report('step', 'Ending the sessions of the mailbox. Its mail waits meanwhile.');
  const blocked = await blockMailbox(work, folder);
  const mail = entryOf(blocked.home, 'mail');
  try {
    await doveadm.kick();
    if (!(await waitUntilUnused(join(home, 'mail'))))
      throw new BackupFailure('other', 'The mailbox is in use all the time. Try again later.');
    // It may have had no mail, or lost all of it.
    const hasMail = await exists(mail);
    if (hasMail) {
      await rename(mail, entryOf(blocked.folder, 'former'));
      await requireUsable(work.uid, formerIn(work));
    }
    run.report('step', 'Keeping the messages that arrived since');
    const snapshot = await doveadm.messages(restored);
    const kept = hasMail ? missingFrom(snapshot, await doveadm.messages(formerIn(work))) : [];
    const former = hasMail ? await doveadm.numbers(formerIn(work)) : [];
    const known = await keepNumbers(doveadm, former, restored);
    // Folders can have any name, also one that is an option or a pattern.
    for (const { mailboxGuid, uids } of byMailbox(kept))
      await doveadm.copy(formerIn(work), restored, '', ['mailbox-guid', mailboxGuid, 'uid', uids.join(',')]);
    await requireCopied(restore, kept);
    await renewOthers(restore, former, known);
    await requireRoom(doveadm, await doveadm.bytes(restored));
    await rename(entryOf(blocked.folder, basename(restored)), mail);
    const since = kept.length > 0 ? ` ${formatPlural(kept.length, 'message')} that arrived since then stayed.` : '';
    return `The mailbox has the ${formatPlural(snapshot.length, 'message')} of the snapshot again.${since}`;
  } finally {
    await blocked.unblock();
  }
}

/**
 * A mail client that has seen a number would take another message with the same one for the one it knows.
 * @returns the names of the folders that give out no number again
 */
async function keepNumbers(
  doveadm: RestoredMailbox['doveadm'],
  former: FolderNumbers[],
  restored: string,
): Promise<Set<string>> {
  const own = new Map((await doveadm.numbers(restored)).map((folder) => [folder.name, folder]));
  const known = former.filter(({ name, validity }) => own.get(name)?.validity === validity);
  for (const folder of known)
    if (!isDeepStrictEqual(folder, own.get(folder.name))) await doveadm.raiseNumbers(restored, folder);
  return new Set(known.map(({ name }) => name));
}

/** Folders that were made or deleted, or both, since the snapshot may have given out any number. */
async function renewOthers(
  { doveadm, restored }: RestoredMailbox,
  former: FolderNumbers[],
  known: Set<string>,
): Promise<void> {
  const folders = await doveadm.numbers(restored);
  const latest = Math.max(...[...former, ...folders].map(({ validity }) => validity));
  // Dovecot counts them up from the time of the first.
  const validity = Math.max(latest + 1, Math.floor(Date.now() / 1000));
  for (const { name } of folders) if (!known.has(name)) await doveadm.setValidity(restored, name, validity);
}

async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}

async function requireCopied({ doveadm, restored }: RestoredMailbox, kept: StoredMessage[]): Promise<void> {
  const lost = missingFrom(await doveadm.messages(restored), kept);
  if (lost.length > 0) throw new Error(`${lost.length} messages could not be kept.`);
}

function missingFrom(present: StoredMessage[], wanted: StoredMessage[]): StoredMessage[] {
  const guids = new Set(present.map(({ guid }) => guid));
  return wanted.filter(({ guid }) => !guids.has(guid));
}

function byMailbox(messages: StoredMessage[]): { mailboxGuid: string; uids: string[] }[] {
  const groups: { mailboxGuid: string; uids: string[] }[] = [];
  for (const { mailboxGuid, uid } of messages) {
    const last = groups.at(-1);
    if (last?.mailboxGuid === mailboxGuid && last.uids.length < UIDS_AT_ONCE) last.uids.push(uid);
    else groups.push({ mailboxGuid, uids: [uid] });
  }
  return groups;
}

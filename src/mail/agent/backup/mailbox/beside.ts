import { dirname, join } from 'node:path';
import { formatPlural } from '@/lib/format';
import { BackupFailure } from '../restic';
import { runAsOwner } from './folders';
import { type RestoredMailbox, requireRoom } from './restored-mailbox';
import { makeFolders } from './work';

/** Adds the mail of a snapshot in a folder of its own, at once. */
export async function addBeside(
  { doveadm, home, work, restored, run }: RestoredMailbox,
  takenAt: Date,
): Promise<string> {
  run.report('step', 'Copying the messages');
  const name = freeName(`Restored ${takenAt.toISOString().slice(0, 10)}`, await doveadm.folders());
  const copy = join(work.folder, 'beside');
  await makeFolders(work.uid, [copy]);
  await doveadm.copy(restored, copy, name, ['mailbox', '*', 'all']);
  const messages = await doveadm.messages(copy);
  if (messages.length === 0) throw new BackupFailure('other', 'The mailbox has no messages in this snapshot.');
  await requireRoom(doveadm, (await doveadm.bytes(copy)) + (await doveadm.bytes()));
  const place = join(home, 'mail/mailboxes', name);
  // A mailbox that has had no mail has no folders.
  await makeFolders(work.uid, [join(home, 'mail'), dirname(place)]);
  await runAsOwner(work.uid, ['mv', '-T', '--', join(copy, 'mailboxes', name), place]);
  const folders = (await doveadm.folders()).filter((each) => each === name || each.startsWith(`${name}/`));
  await doveadm.subscribe(folders);
  return `Restored ${formatPlural(messages.length, 'message')} in the folder “${name}”. Nothing else in the mailbox was changed.`;
}

function freeName(name: string, taken: string[]): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name} (${number})`;
    if (!taken.includes(candidate)) return candidate;
  }
}

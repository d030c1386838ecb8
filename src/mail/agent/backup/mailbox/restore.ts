import { dirname, join } from 'node:path';
import { formatPlural } from '@/lib/format';
import type { OperationInput, RestoreInput } from '@/lib/mail/operations';
import type { Installation } from '../../installation';
import type { Operation, Outcome, Run } from '../../operations/operation';
import { runOrThrow } from '../../operations/run-command';
import { type BackupParts, requirePlan } from '../back-up';
import type { Snapshot } from '../plan';
import { openRepository, repositoryOf } from '../repository';
import { BackupFailure, type Repository, runRestic } from '../restic';
import { listSnapshots } from '../snapshots';
import { doveadmFor } from './doveadm';
import { openFolder, runAsOwner } from './folders';
import { replaceMailbox } from './replace';
import { type RestoredMailbox, requireRoom } from './restored-mailbox';
import { endWork, isMailboxFolder, makeFolders, makeHome, makeWork, restoredIn, type Work } from './work';

const CHOWN_TIMEOUT_MS = 10 * 60_000;
const NOTHING_CHANGED = 'Nothing was changed.';
const MAX_NAMED = 50;

/** Restores the mail of a mailbox from a snapshot. Its own scripts stay as they are. */
export async function restoreMailbox(parts: BackupParts, run: Run, { id, input }: Operation): Promise<Outcome> {
  const { mailbox, folder, mode, snapshot: wanted } = requireInput(input);
  const installation = parts.read();
  const { data } = installation;
  let work: Work | undefined;
  try {
    work = await makeWork(installation, id);
    const plan = await requirePlan(parts);
    const repository = repositoryOf(plan, data);
    run.report('step', `Opening the repository in ${repository.location}`);
    await openRepository(repository, { known: await parts.records.knownRepository(), signal: run.signal });
    const snapshot = await findSnapshot(repository, installation, { wanted, signal: run.signal });
    run.report('step', `Reading ${mailbox} from the snapshot of ${textOf(snapshot.takenAt)}`);
    await extract(repository, { snapshot, folder, work, run });
    if (!(await giveToOwner(work, folder)))
      throw new BackupFailure('other', `${mailbox} has no mail in this snapshot.`);
    const restored = restoredIn(work);
    const doveadm = doveadmFor(installation, mailbox);
    await doveadm.resync(restored);
    const home = await makeHome(work, folder);
    const restore: RestoredMailbox = { doveadm, home, folder, work, restored, run };
    if (run.signal.aborted) return { state: 'interrupted', message: `The mail agent was stopped. ${NOTHING_CHANGED}` };
    const message = mode === 'in_place' ? await replaceMailbox(restore) : await addBeside(restore, snapshot.takenAt);
    // Mail that arrived meanwhile would otherwise wait for minutes.
    if (mode === 'in_place') await parts.retryMail();
    return { state: 'succeeded', message };
  } catch (error) {
    if (!(error instanceof BackupFailure)) throw error;
    for (const line of error.lines.slice(0, MAX_NAMED)) run.report('error', line);
    const state = error.kind === 'stopped' ? 'interrupted' : 'failed';
    return { state, message: `${error.message} ${NOTHING_CHANGED}` };
  } finally {
    if (work) await endWork(work);
  }
}

/** It comes from the database. */
function requireInput(input: OperationInput | null): RestoreInput {
  if (!input || !('folder' in input) || !isMailboxFolder(input.folder)) throw new Error('Unknown mailbox.');
  return input;
}

async function findSnapshot(
  repository: Repository,
  { host }: Installation,
  { wanted, signal }: { wanted: string; signal: AbortSignal },
): Promise<Snapshot> {
  const snapshot = (await listSnapshots(repository, host, signal)).find(({ id }) => id === wanted);
  if (!snapshot) throw new BackupFailure('other', 'This snapshot is no longer in the repository. Choose another one.');
  return snapshot;
}

type Extraction = { snapshot: Snapshot; folder: string; work: Work; run: Run };

/** @throws BackupFailure that names the files which are damaged */
async function extract(repository: Repository, { snapshot, folder, work, run }: Extraction): Promise<void> {
  const target = join(work.vault, 'snapshot');
  const wanted = `/${join('mail', escaped(folder), 'mail')}`;
  try {
    await runRestic(repository, ['restore', snapshot.id, '--target', target, '--include', wanted], run);
  } catch (error) {
    if (!(error instanceof BackupFailure) || error.kind !== 'other') throw error;
    const damaged = error.lines.filter((line) => line.startsWith('ignoring error for '));
    if (damaged.length === 0) throw error;
    const message = 'The backup is damaged, so the mailbox can’t be restored from this snapshot. Choose another one.';
    throw new BackupFailure('other', message, damaged);
  }
}

/**
 * Hands what restic has written to the owner of the mail, beside its mailboxes. The move has only the owner's rights, and
 * starts where nobody else can be: it copies if the mail has a file system of its own. @returns false if there is no mail
 */
async function giveToOwner({ vault, folder: place, uid }: Work, folder: string): Promise<boolean> {
  const target = join(vault, 'snapshot');
  const mail = await openFolder(target, `mail/${folder}/mail`).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (!mail) return false;
  await mail.close();
  const args = ['-R', '--no-dereference', `${uid}:${uid}`, target];
  await runOrThrow({ file: 'chown', args, withinMs: CHOWN_TIMEOUT_MS });
  await runAsOwner(uid, ['mv', '-T', '--', 'mail', join(place, 'restored')], join(target, 'mail', folder));
  return true;
}

/** Characters that are special in patterns of restic, but can be in the name of a mailbox. */
function escaped(path: string): string {
  return path.replace(/[*?[\]\\]/g, '\\$&');
}

function textOf(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** Adds the mail of a snapshot in a folder of its own, at once. */
async function addBeside({ doveadm, home, work, restored, run }: RestoredMailbox, takenAt: Date): Promise<string> {
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

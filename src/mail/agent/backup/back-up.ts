import { existsSync } from 'node:fs';
import { lstat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { Redis } from 'ioredis';
import { formatBytes, formatPlural } from '@/lib/format';
import type { Installation } from '../installation';
import type { Outcome, Report, Run } from '../operations/operation';
import { withHostFiles } from './host-files';
import { RESTORE_FOLDER } from './mailbox/work';
import type { BackupRecords, MailBackupPlan, Snapshot } from './plan';
import { backupFolder, openRepository, repositoryOf } from './repository';
import { BackupFailure, INCOMPLETE, type Repository, runRestic } from './restic';
import { forgetOld, listSnapshots, TAG } from './snapshots';

export type BackupParts = {
  read: () => Installation;
  records: BackupRecords;
  redis: Redis;
  /** Delivers what waits for mailboxes. */
  retryMail: () => Promise<unknown>;
  /** Keeps these values out of the output. */
  hide: (secrets: string[]) => void;
};

const MAX_NAMED = 10;
/** Folders of DATA_DIR. Mail in the queue isn't backed up: restored later, it would be sent a second time. */
const FOLDERS = ['mail', 'dovecot', 'rspamd', 'acme', 'tls', 'backups/host'];

/** Adds a snapshot to the repository, and deletes those that aren't kept. */
export async function backUpMail(parts: BackupParts, run: Run): Promise<Outcome> {
  let isTaken = false;
  try {
    const plan = await requirePlan(parts);
    const installation = parts.read();
    const repository = repositoryOf(plan, installation.data);
    run.report('step', `Opening the repository in ${repository.location}`);
    const known = await parts.records.knownRepository();
    await openRepository(repository, { known, signal: run.signal, makes: true });
    await requireRealFolders(installation.data);
    const taken = await withHostFiles(installation, parts.redis, () => {
      run.report('step', 'Backing up');
      return takeSnapshot(repository, installation, run);
    });
    const { latest, missing } = taken;
    isTaken = true;
    await saveSnapshots(parts.records, repository, { installation, latest, run });
    if (missing.length === 0) await parts.records.saveSuccess();
    run.report('step', 'Deleting snapshots that are not kept');
    await forgetOld(repository, { host: installation.host, keep: plan.keep }, run.signal).catch(notDeleted(missing));
    const snapshots = await saveSnapshots(parts.records, repository, { installation, latest, run });
    if (missing.length > 0) throw incomplete(missing);
    const added = formatBytes(latest.sizes?.bytesAdded ?? 0);
    const files = formatPlural(latest.sizes?.files ?? 0, 'file');
    const message = `Backed up ${files}, ${added} of which are new. ${formatPlural(snapshots, 'snapshot')} kept.`;
    return { state: 'succeeded', message };
  } catch (error) {
    if (!(error instanceof BackupFailure)) {
      await parts.records.saveFailure('It failed unexpectedly. The mail agent’s log has the reason.');
      throw error;
    }
    if (error.kind === 'stopped')
      return { state: 'interrupted', message: `${error.message} There is ${isTaken ? 'a' : 'no'} new snapshot.` };
    for (const line of error.lines.slice(0, MAX_NAMED)) run.report('error', line);
    await parts.records.saveFailure(error.message);
    return { state: 'failed', message: error.message };
  }
}

type Saved = { installation: Installation; latest: Snapshot; run: Run };

/** Records the snapshots in the repository, which can be restored whatever fails next. @returns how many snapshots it has */
async function saveSnapshots(
  records: BackupRecords,
  repository: Repository,
  { installation, latest, run }: Saved,
): Promise<number> {
  const snapshots = await listSnapshots(repository, installation.host, run.signal);
  await records.saveSnapshots(repository.location, snapshots, latest);
  return snapshots.length;
}

/** @returns what throws a failure to delete old snapshots, which is none of the new one */
function notDeleted(missing: string[]): (error: Error) => never {
  return (error) => {
    if (!(error instanceof BackupFailure) || error.kind === 'stopped') throw error;
    if (missing.length > 0) throw incomplete(missing);
    const message = `The snapshot was taken, but old ones couldn’t be deleted. ${error.message}`;
    throw new BackupFailure(error.kind, message, error.lines);
  };
}

function incomplete(missing: string[]): BackupFailure {
  const message = `${formatPlural(missing.length, 'file')} couldn’t be read. Everything else is in the new snapshot.`;
  return new BackupFailure('other', message, missing);
}

/** restic stores of a symlink nothing but where it leads. @throws BackupFailure */
async function requireRealFolders(data: string): Promise<void> {
  for (const folder of ['backups', ...FOLDERS]) {
    const found = await lstat(join(data, folder)).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (found?.isSymbolicLink())
      throw new BackupFailure(
        'other',
        `${join(data, folder)} is a symlink, so what is in it wouldn’t be backed up. Mount the folder there instead.`,
      );
  }
}

/** @throws BackupFailure if the app hasn't written it */
export async function requirePlan({ records, hide }: Pick<BackupParts, 'records' | 'hide'>): Promise<MailBackupPlan> {
  const plan = await records.plan();
  if (!plan)
    throw new BackupFailure(
      'other',
      'Postroom hasn’t said yet how mail is backed up. Start an instance of the app, and back up the database first: that makes the key.',
    );
  hide([plan.password, plan.credentials.secretAccessKey]);
  return plan;
}

type Line =
  | { message_type: 'status'; percent_done: number; bytes_done?: number; total_bytes?: number }
  | { message_type: 'error'; item: string; error: { message?: string; Err?: unknown } }
  | {
      message_type: 'summary';
      snapshot_id: string;
      data_added: number;
      total_bytes_processed: number;
      total_files_processed: number;
    };

async function takeSnapshot(
  repository: Repository,
  { data, host }: Installation,
  { report, signal }: Run,
): Promise<{ latest: Snapshot; missing: string[] }> {
  const unreadable: string[] = [];
  let taken: Snapshot | undefined;
  const follow = (text: string) => {
    const line = parse(text);
    if (line?.message_type === 'status') reportProgress(line, report);
    // Newer versions of restic give a path from where it started.
    if (line?.message_type === 'error') unreadable.push(resolve(data, line.item));
    if (line?.message_type !== 'summary') return;
    const sizes = {
      bytesAdded: line.data_added,
      bytes: line.total_bytes_processed,
      files: line.total_files_processed,
    };
    taken = { id: line.snapshot_id, takenAt: new Date(), sizes };
  };
  const folders = FOLDERS.filter((folder) => existsSync(join(data, folder)));
  const excluded = [join(data, RESTORE_FOLDER), join(data, 'rspamd/*.hs*'), backupFolder(data)];
  await runRestic(
    repository,
    [
      ...['backup', '--json', '--host', host, '--tag', TAG],
      ...excluded.slice(0, 2).flatMap((pattern) => ['--exclude', pattern]),
      ...folders,
    ],
    { signal, cwd: data, onLine: follow, onError: follow, allowed: [INCOMPLETE] },
  );
  // Files that were deleted or moved meanwhile aren't missing.
  const missing = unreadable.filter((path) => existsSync(path));
  if (!taken) throw new BackupFailure('other', 'restic reported no snapshot.');
  return { latest: taken, missing };
}

function reportProgress(line: Line & { message_type: 'status' }, report: Report) {
  const percent = Math.floor(line.percent_done * 100);
  report('output', `${percent}%: ${formatBytes(line.bytes_done ?? 0)} of ${formatBytes(line.total_bytes ?? 0)}`);
}

/** Null for a line that isn't JSON. */
function parse(text: string): Line | null {
  if (!text.startsWith('{')) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

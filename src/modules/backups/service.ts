import { insertAuditEntry } from '@/server/audit';
import type { Database, Tx } from '@/server/database/db';
import { AppError, notFound } from '@/server/errors';
import { log } from '@/server/log';
import { StoreError } from '@/server/object-store/port';
import { type Page, paginate } from '@/server/pagination';
import type { ActorContext } from '@/server/procedures/context';
import type { MutationContext } from '@/server/procedures/mutation';
import type { FileOutput } from '@/server/rest/file';
import { env } from '@/server/settings/env';
import { BackupError } from './archive/format';
import { backupKeyFile, describeEncryption, ownBackupSecret } from './encryption';
import { checkBackups, ownCompleted } from './health';
import { backupList, backupOperationList, type ListBackupOperations, type ListBackups } from './lists';
import { beginCreating, beginWork } from './operations/begin';
import { requesterOf } from './operations/requester';
import { previewing, proving, restoring, verifying } from './operations/work';
import { type BackupRow, type OperationRow, presentBackup, presentOperation } from './records/present';
import { dueSlot, isUnmade, nextSlot } from './schedule/slots';
import type { Backup, BackupOperation, BackupPlan, RestoreBackup } from './schema';
import { openTarget, openTargetAt } from './target/open';
import type { BackupTarget } from './target/port';

export { checkBackups, ownBackupSecret };

export async function listBackups(ctx: ActorContext, input: ListBackups): Promise<Page<Backup>> {
  const proven = await beingProven(ctx);
  return paginate(backupList, input, {
    fetch: (keyset) => ctx.db.backup.findMany(keyset),
    count: (take) => ctx.db.backup.count({ take }),
    present: (row: BackupRow) => presentBackup(row, proven),
  });
}

/** @throws NOT_FOUND */
export async function getBackup(ctx: ActorContext, { id }: { id: string }): Promise<Backup> {
  return presentBackup(await findBackup(ctx, id), await beingProven(ctx));
}

export async function getBackupPlan({ db, clock }: ActorContext): Promise<BackupPlan> {
  const { backupKeepDaily: daily, backupKeepWeekly: weekly, backupKeepMonthly: monthly } = env();
  const now = clock.now();
  const latest = (more: { proofState?: 'proven' }) =>
    db.backup.findFirst({ where: { ...ownCompleted(now), ...more }, orderBy: { startedAt: 'desc' } });
  const [target, { recipients, passphrase }, schedule, completed, proven, running] = await Promise.all([
    openTarget(),
    describeEncryption(),
    describeSchedule(db, now),
    latest({}),
    latest({ proofState: 'proven' }),
    db.backupOperation.findFirst({ where: { finishedAt: null } }),
  ]);
  return {
    location: target.label,
    encryption: {
      kind: passphrase === undefined ? 'keys' : 'passphrase',
      key_file: backupKeyFile(),
      recipients: [...recipients],
    },
    schedule,
    retention: { daily, weekly, monthly },
    last_completed: completed && presentBackup(completed),
    last_proven: proven && presentBackup(proven),
    running: running && presentOperation(running),
  };
}

export async function listBackupOperations(
  ctx: ActorContext,
  input: ListBackupOperations,
): Promise<Page<BackupOperation>> {
  return paginate(backupOperationList, input, {
    fetch: (keyset) => ctx.db.backupOperation.findMany(keyset),
    count: (take) => ctx.db.backupOperation.count({ take }),
    present: (row: OperationRow) => presentOperation(row),
  });
}

/** @throws NOT_FOUND */
export async function getBackupOperation({ db }: ActorContext, { id }: { id: string }): Promise<BackupOperation> {
  const row = await db.backupOperation.findUnique({ where: { id } });
  if (!row) throw notFound('operation');
  return presentOperation(row);
}

/** Starts a backup. @throws CONFLICT with the operation that is running */
export async function createBackup(ctx: MutationContext): Promise<Backup> {
  const { backup } = await beginCreating(ctx.clock, {
    requester: requesterOf(ctx),
    trigger: 'request',
    transaction: ctx.transaction,
  });
  return presentBackup(backup);
}

/** Starts to read the whole archive. @throws NOT_FOUND; CONFLICT */
export async function verifyBackup(ctx: MutationContext, { id }: { id: string }): Promise<BackupOperation> {
  return start(ctx, id, { action: 'verify', work: (subject) => verifying(subject, ctx.clock) });
}

/** Starts to restore it into a database of its own. @throws NOT_FOUND; CONFLICT */
export async function proveBackup(ctx: MutationContext, { id }: { id: string }): Promise<BackupOperation> {
  return start(ctx, id, { action: 'prove', work: (subject) => proving(subject, ctx.clock) });
}

/** Starts a restore, or its dry run. @throws NOT_FOUND; CONFLICT */
export async function restoreBackup(ctx: MutationContext, input: RestoreBackup): Promise<BackupOperation> {
  const domainId = input.scope?.domain_id;
  if (input.dry_run)
    return start(ctx, input.id, { action: 'preview', domainId, work: (subject) => previewing(subject, domainId) });
  return start(ctx, input.id, {
    action: 'restore',
    domainId,
    work: (subject, lease) => restoring(lease, subject, domainId),
  });
}

type Start = Pick<Parameters<typeof beginWork>[1], 'action' | 'domainId' | 'work'>;

async function start(ctx: MutationContext, id: string, { action, domainId, work }: Start): Promise<BackupOperation> {
  const backup = await findBackup(ctx, id);
  requireCompleted(backup);
  const { operation } = await beginWork(ctx.clock, {
    action,
    domainId,
    backup,
    work,
    requester: requesterOf(ctx),
    transaction: ctx.transaction,
  });
  return presentOperation(operation);
}

/** Deletes the archive and its record. @throws NOT_FOUND; CONFLICT while it is in use */
export async function deleteBackup(ctx: MutationContext, { id }: { id: string }): Promise<{ message: string }> {
  const { name, location } = await findBackup(ctx, id);
  await requireUnused(ctx.db, id);
  // First, because an archive without a record would be found again. An operation that begins now finds none, and fails.
  await removeArchive({ name, location });
  await ctx.transaction(async ({ tx, audit }) => {
    await requireUnused(tx, id);
    await tx.backup.deleteMany({ where: { id } });
    await audit({ resource: `backup:${id}`, before: { name, location } });
  });
  return { message: `${name} was deleted.` };
}

/** @throws CONFLICT */
async function requireUnused(tx: Tx, id: string): Promise<void> {
  const operation = await tx.backupOperation.findFirst({ where: { backupId: id, finishedAt: null } });
  if (!operation) return;
  const details = { operation_id: operation.id };
  throw new AppError('CONFLICT', 'The backup is in use. Wait until the operation is finished.', { details });
}

/** The encrypted archive as a file, with an audit entry. @throws NOT_FOUND; CONFLICT if it isn't complete */
export async function downloadBackup(ctx: ActorContext, { id }: { id: string }): Promise<FileOutput> {
  const backup = await findBackup(ctx, id);
  requireCompleted(backup);
  const chunks = await readArchive(backup);
  const { name, location } = backup;
  await insertAuditEntry(ctx.db, ctx, {
    action: 'backup.download',
    resource: `backup:${id}`,
    actor: ctx.actor,
    outcome: 'success',
    details: { name, location },
  });
  return { filename: name, chunks };
}

async function findBackup({ db }: ActorContext, id: string): Promise<BackupRow> {
  const backup = await db.backup.findUnique({ where: { id } });
  if (!backup) throw notFound('backup');
  return backup;
}

async function beingProven({ db }: ActorContext): Promise<string | null> {
  const operation = await db.backupOperation.findFirst({ where: { finishedAt: null, action: 'prove' } });
  return operation?.backupId ?? null;
}

function requireCompleted({ status, error }: BackupRow): void {
  if (status === 'completed') return;
  const why = { running: 'It is still being made.', failed: 'It failed.', missing: error ?? 'The archive is missing.' };
  throw new AppError('CONFLICT', `This backup can’t be used. ${why[status]}`);
}

/** When the next backup is made, or tried again. */
async function describeSchedule(db: Database, now: Date): Promise<BackupPlan['schedule']> {
  const { backupTime: time } = env();
  if (time === null) return null;
  const dueAt = await dueSlot(db, now);
  const last = dueAt && (await db.backup.findUnique({ where: { dueAt } }));
  const isDone = !dueAt || (last && !isUnmade(last));
  const next = isDone ? nextSlot(time, now) : (last?.nextAttemptAt ?? dueAt);
  return { time, next_run_at: next.toISOString() };
}

type Place = { name: string; location: string };

/** The bytes of an archive, for a client. @throws NOT_FOUND; CONFLICT if its location isn't known here; SERVICE_UNAVAILABLE */
async function readArchive({ name, location }: Place): Promise<AsyncIterable<Uint8Array>> {
  const archive = await forClient(location, (target) => target.read(name));
  if (!archive) throw new AppError('NOT_FOUND', `${name} is not in ${location}.`);
  return archive;
}

/** @throws CONFLICT if its location isn't known here; SERVICE_UNAVAILABLE */
async function removeArchive({ name, location }: Place): Promise<void> {
  await forClient(location, (target) => target.remove(name));
}

async function forClient<Result>(location: string, use: (target: BackupTarget) => Promise<Result>): Promise<Result> {
  try {
    return await use(await openTargetAt(location));
  } catch (error) {
    if (error instanceof BackupError) throw new AppError('CONFLICT', error.message);
    if (!(error instanceof StoreError)) throw error;
    log.warn({ error, location }, 'the storage of backups failed');
    throw new AppError('SERVICE_UNAVAILABLE', 'Backup storage didn’t respond. Try again later.', {
      headers: { 'Retry-After': '30' },
    });
  }
}

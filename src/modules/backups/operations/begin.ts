import { hostname } from 'node:os';
import type { AuditAction } from '@/lib/texts/audit-actions';
import { uuidv7 } from '@/lib/uuid';
import { insertAuditEntry } from '@/server/audit';
import type { Clock } from '@/server/clock';
import { instanceName } from '@/server/cluster/this-node';
import type { Database, Tx } from '@/server/database/db';
import { AppError } from '@/server/errors';
import type { AuditedTransaction, MutationContext } from '@/server/procedures/mutation';
import type { Progress } from '../archive/format';
import type { BackupRow, OperationRow } from '../records/present';
import { hasOwn } from '../records/reconcile';
import { openTarget } from '../target/open';
import { archiveName, type BackupTarget } from '../target/port';
import { type BackupAction, type Lease, type Outcome, startOperation } from './lease';
import type { Requester } from './requester';
import { runOperation, type Work } from './run';
import { creating, type Subject } from './work';

type InTransaction = MutationContext['transaction'];

type Begun = {
  backup: BackupRow;
  operation: OperationRow;
  /** Never fails. */
  ended: Promise<Outcome>;
};

type NewBackup = {
  requester: Requester;
  trigger: 'schedule' | 'request' | 'command';
  /** The scheduled slot. A retry reuses the record of a failed attempt, or of an archive that is gone. */
  dueAt?: Date;
  /** Instead of one in the target: a file. */
  place?: { target: BackupTarget; name: string };
  runner?: string;
  onProgress?: (progress: Progress) => void;
  transaction: InTransaction;
};

/** The columns that describe an archive, with their values before it is made. */
const RESET_COLUMNS = {
  ...{ sizeBytes: null, checksum: null, version: null, rows: null, finishedAt: null, error: null, nextAttemptAt: null },
  ...{ proofState: 'none' as const, proofAt: null, proofMessage: null },
};

/** Starts a backup in this process, out of the request. @throws CONFLICT with the operation that is running */
export async function beginCreating(clock: Clock, options: NewBackup): Promise<Begun> {
  const { requester, trigger, dueAt, runner = instanceName() } = options;
  const now = clock.now();
  const target = options.place?.target ?? (await openTarget());
  const location = target.label;
  const { backup, operation, lease, isNew } = await options.transaction(async ({ tx, audit }) => {
    const isNew = !(await hasOwn(tx, location));
    const known = dueAt && (await tx.backup.findUnique({ where: { dueAt } }));
    const id = known?.id ?? uuidv7();
    const lease = await startOperation(tx, clock, { action: 'create', backup: { id, name: '' }, requester, runner });
    // From here on, no other backup can take the name or the slot.
    const former = dueAt && (await tx.backup.findUnique({ where: { dueAt } }));
    if (former?.id !== known?.id || former?.attempts !== known?.attempts)
      throw new AppError('CONFLICT', 'Another instance has made this backup.');
    const name = options.place?.name ?? (await freeName(tx, location, now));
    const operation = await tx.backupOperation.update({ where: { id: lease.id }, data: { backupName: name } });
    // The record is of an archive that is no longer there.
    await tx.backup.deleteMany({ where: { location, name } });
    const data = { trigger, location, name, dueAt, host: hostname(), startedAt: now };
    const backup = former
      ? await tx.backup.update({
          where: { id },
          data: { ...data, ...RESET_COLUMNS, status: 'running', attempts: { increment: 1 } },
        })
      : await tx.backup.create({ data: { ...data, id } });
    await audit({ resource: `backup:${backup.id}`, after: { name, location, trigger } });
    return { backup, lease, operation, isNew };
  });
  return {
    backup,
    operation,
    ended: runOperation(clock, {
      lease,
      work: creating(backup, target, { now, isNew: options.place ? null : isNew }),
      onProgress: options.onProgress,
    }),
  };
}

type NewWork = {
  action: Exclude<BackupAction, 'create'>;
  backup: Subject;
  domainId?: string;
  requester: Requester;
  runner?: string;
  work: (subject: Subject, lease: Lease) => Work;
  transaction: InTransaction;
};

/** Starts work on a backup in this process, out of the request. @throws CONFLICT with the operation that is running */
export async function beginWork(
  clock: Clock,
  { action, backup, domainId, requester, runner = instanceName(), work, transaction }: NewWork,
): Promise<Omit<Begun, 'backup'>> {
  const { lease, operation } = await transaction(async ({ tx, audit }) => {
    const lease = await startOperation(tx, clock, { action, backup, domainId, requester, runner });
    const scope = domainId && { domain_id: domainId };
    await audit({ resource: `backup:${backup.id}`, details: { action, name: backup.name, ...scope } });
    return { lease, operation: await tx.backupOperation.findUniqueOrThrow({ where: { id: lease.id } }) };
  });
  return { operation, ended: runOperation(clock, { lease, work: work(backup, lease) }) };
}

/** For what nobody asked for by a request. */
export function ownTransaction(db: Database, clock: Clock, { request }: Requester, action: AuditAction): InTransaction {
  return (work) =>
    db.$transaction((tx) => {
      const entry = { action, actor: null, outcome: 'success' as const };
      const audit: AuditedTransaction['audit'] = (record) =>
        insertAuditEntry(tx, { clock, request }, { ...entry, ...record });
      return work({ tx, audit, requireVersion: async () => {} });
    });
}

/** Names are by the second. */
async function freeName(tx: Tx, location: string, now: Date): Promise<string> {
  for (let at = now; ; at = new Date(at.getTime() + 1_000)) {
    const name = archiveName(at);
    if ((await tx.backup.count({ where: { location, name } })) === 0) return name;
  }
}

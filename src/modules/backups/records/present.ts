import type { Prisma } from '@/server/prisma/client';
import type { Backup, BackupOperation } from '../schema';

export type BackupRow = Prisma.BackupGetPayload<object>;
export type OperationRow = Prisma.BackupOperationGetPayload<object>;

/** @param proving the backup that is being proven */
export function presentBackup(row: BackupRow, proving?: string | null): Backup {
  return {
    id: row.id,
    trigger: row.trigger,
    status: row.status,
    name: row.name,
    location: row.location,
    size_bytes: numberOf(row.sizeBytes),
    checksum: row.checksum,
    version: row.version,
    rows: numberOf(row.rows),
    due_at: timeOf(row.dueAt),
    attempts: row.attempts,
    next_attempt_at: timeOf(row.nextAttemptAt),
    started_at: row.startedAt.toISOString(),
    finished_at: timeOf(row.finishedAt),
    error: row.error,
    proof: {
      state: row.id === proving ? 'running' : row.proofState,
      at: timeOf(row.proofAt),
      message: row.proofMessage,
    },
  };
}

export function presentOperation(row: OperationRow): BackupOperation {
  return {
    id: row.id,
    action: row.action,
    backup_id: row.backupId,
    backup_name: row.backupName,
    scope: row.domainId === null ? null : { domain_id: row.domainId },
    state: row.state,
    progress: {
      table: row.progressTable,
      tables_done: row.tablesDone,
      tables_total: row.tablesTotal,
      rows: Number(row.progressRows),
      bytes: Number(row.progressBytes),
    },
    result: row.result as BackupOperation['result'],
    message: row.message,
    requested_by:
      row.requestedById && row.requestedByEmail ? { id: row.requestedById, email: row.requestedByEmail } : null,
    runner: row.runner,
    started_at: row.startedAt.toISOString(),
    finished_at: timeOf(row.finishedAt),
  };
}

function numberOf(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}

function timeOf(value: Date | null): string | null {
  return value?.toISOString() ?? null;
}

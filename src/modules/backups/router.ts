import { ById, Confirmation, Empty } from '@/lib/wire';
import { listProcedure, listProcedures } from '@/server/list/list-procedures';
import { router, superAdminProcedure } from '@/server/procedures/trpc';
import { FileOutput } from '@/server/rest/file';
import { restOf } from '@/server/rest/meta';
import { backupList, backupOperationList } from './lists';
import { Backup, BackupOperation, BackupPlan, RestoreBackup } from './schema';
import {
  createBackup,
  deleteBackup,
  downloadBackup,
  getBackup,
  getBackupOperation,
  getBackupPlan,
  listBackupOperations,
  listBackups,
  proveBackup,
  restoreBackup,
  verifyBackup,
} from './service';

const tag = 'Backups';
const rest = restOf(tag);
const ONE_AT_A_TIME =
  'One operation runs at a time, over all instances and commands: meanwhile the answer is 409 with its `operation_id`.';
const START_ERRORS = { 409: ['CONFLICT' as const] };

const backups = listProcedures(backupList, {
  procedure: superAdminProcedure,
  item: Backup,
  find: listBackups,
  tag,
  isReadOnPrimary: true,
  description: 'Including those that failed, and archives found in the location that no record knew.',
});

export const backupsRouter = router({
  list: backups.list,

  export: backups.export,

  plan: superAdminProcedure(Empty)
    .meta(
      rest('GET', '/backups/plan', {
        summary: 'Get the plan of backups',
        isReadOnPrimary: true,
        description: 'Where archives are stored, what opens them, when the next backup is due, and which are kept.',
      }),
    )
    .output(BackupPlan)
    .query(({ ctx }) => getBackupPlan(ctx)),

  operations: listProcedure(backupOperationList, {
    procedure: superAdminProcedure,
    item: BackupOperation,
    find: listBackupOperations,
    tag,
    isReadOnPrimary: true,
  }),

  operation: superAdminProcedure(ById)
    .meta(
      rest('GET', '/backups/operations/{id}', {
        summary: 'Get an operation on a backup',
        isReadOnPrimary: true,
        description: 'With its progress, every two seconds while it runs, and its result once `finished_at` is set.',
      }),
    )
    .output(BackupOperation)
    .query(({ ctx, input }) => getBackupOperation(ctx, input)),

  get: superAdminProcedure(ById)
    .meta(
      rest('GET', '/backups/{id}', {
        summary: 'Get a backup',
        isReadOnPrimary: true,
      }),
    )
    .output(Backup)
    .query(({ ctx, input }) => getBackup(ctx, input)),

  download: superAdminProcedure(ById)
    .meta(
      rest('GET', '/backups/{id}/download', {
        summary: 'Download a backup',
        isWriting: true,
        file: 'application/octet-stream',
        description: 'The archive as it is stored, encrypted. Recorded in the audit log.',
        errors: { 409: ['CONFLICT'], 503: ['SERVICE_UNAVAILABLE'] },
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => downloadBackup(ctx, input)),

  create: superAdminProcedure(Empty)
    .meta(
      rest('POST', '/backups', {
        summary: 'Start a backup',
        description: ONE_AT_A_TIME,
        status: 202,
        audit: 'backup.create',
        confirmation: null,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Backup)
    .mutation(({ ctx }) => createBackup(ctx)),

  verify: superAdminProcedure(ById)
    .meta(
      rest('POST', '/backups/{id}/verify', {
        summary: 'Verify a backup',
        description: `Reads the whole archive, and compares it with its row counts and sums. ${ONE_AT_A_TIME}`,
        status: 202,
        audit: 'backup.verify',
        confirmation: null,
        errors: START_ERRORS,
      }),
    )
    .output(BackupOperation)
    .mutation(({ ctx, input }) => verifyBackup(ctx, input)),

  prove: superAdminProcedure(ById)
    .meta(
      rest('POST', '/backups/{id}/prove', {
        summary: 'Prove that a backup restores',
        description: `Restores the archive into a database of its own, compares all rows, and drops it. ${ONE_AT_A_TIME}`,
        status: 202,
        audit: 'backup.prove',
        confirmation: null,
        errors: START_ERRORS,
      }),
    )
    .output(BackupOperation)
    .mutation(({ ctx, input }) => proveBackup(ctx, input)),

  restore: superAdminProcedure(RestoreBackup)
    .meta(
      rest('POST', '/backups/{id}/restore', {
        summary: 'Restore a backup',
        description: `Replaces the content of the database, or of one domain, in one transaction: whatever fails, nothing has changed. Everyone has to sign in again. With \`dry_run\`, the result says what would change. ${ONE_AT_A_TIME}`,
        status: 202,
        audit: 'backup.restore',
        confirmation: 'Replaces current records by those of the backup, unless `dry_run` is true.',
        errors: START_ERRORS,
      }),
    )
    .output(BackupOperation)
    .mutation(({ ctx, input }) => restoreBackup(ctx, input)),

  delete: superAdminProcedure(ById)
    .meta(
      rest('DELETE', '/backups/{id}', {
        summary: 'Delete a backup',
        description: 'Deletes the archive and its record.',
        audit: 'backup.delete',
        errors: { ...START_ERRORS, 503: ['SERVICE_UNAVAILABLE'] },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteBackup(ctx, input)),
});

import type { ErrorCode } from '@/lib/error-codes';
import { Empty } from '@/lib/wire';
import { Operation } from '@/modules/services/schema';
import { exportProcedure } from '@/server/list/list-procedures';
import { router, superAdminProcedure } from '@/server/procedures/trpc';
import { restOf } from '@/server/rest/meta';
import { snapshotList } from './lists';
import { MailBackups, RestoreMailbox, StartMailBackup } from './schema';
import { checkBackups, getMailBackups, restoreMailbox, startBackup } from './service';

const tag = 'Backups';
const rest = restOf(tag);
const STARTED: Partial<Record<number, ErrorCode[]>> = {
  400: ['VALIDATION_ERROR'],
  409: ['ORCHESTRATOR_BUSY'],
  503: ['MAIL_STACK_UNAVAILABLE'],
};

export const mailBackupsRouter = router({
  get: superAdminProcedure(Empty)
    .meta(
      rest('GET', '/backups/mail', {
        summary: 'List backups of mail',
        isReadOnPrimary: true,
        description:
          'The snapshots of each mail server, as its agent last saw them, and how its last backup and check went.',
      }),
    )
    .output(MailBackups)
    .query(({ ctx }) => getMailBackups(ctx)),

  export: exportProcedure(snapshotList, {
    procedure: superAdminProcedure,
    input: Empty,
    items: async (ctx) => (await getMailBackups(ctx)).snapshots,
    tag,
    description: 'The snapshots of all mail servers.',
    isReadOnPrimary: true,
  }),

  start: superAdminProcedure(StartMailBackup)
    .meta(
      rest('POST', '/backups/mail', {
        summary: 'Back up mail now',
        description:
          'The mail agent runs it. Read how it goes from `GET /orchestrator/operations/{id}`. One backup, check or restore of mail at a time.',
        status: 202,
        audit: 'mail_backup.create',
        confirmation: null,
        errors: STARTED,
      }),
    )
    .output(Operation)
    .mutation(({ ctx, input }) => startBackup(ctx, input)),

  check: superAdminProcedure(StartMailBackup)
    .meta(
      rest('POST', '/backups/mail/check', {
        summary: 'Check backups of mail',
        description: 'Checks the structure of the repository, and reads a tenth of its data.',
        status: 202,
        audit: 'mail_backup.check',
        confirmation: null,
        errors: STARTED,
      }),
    )
    .output(Operation)
    .mutation(({ ctx, input }) => checkBackups(ctx, input)),

  restore: superAdminProcedure(RestoreMailbox)
    .meta(
      rest('POST', '/backups/mail/{snapshot}/restore', {
        summary: 'Restore a mailbox',
        description:
          'Its mail only: its own Sieve scripts stay as they are. If anything fails, nothing in the mailbox has changed.',
        status: 202,
        audit: 'mail_backup.restore',
        confirmation: 'Changes the mail of a mailbox.',
        errors: { ...STARTED, 404: ['NOT_FOUND'] },
      }),
    )
    .output(Operation)
    .mutation(({ ctx, input }) => restoreMailbox(ctx, input)),
});

import { listProcedure } from '@/server/list/list-procedures';
import { authedProcedure, router, superAdminProcedure } from '@/server/procedures/trpc';
import { FileOutput } from '@/server/rest/file';
import { restOf } from '@/server/rest/meta';
import { ExportAudit, exportAudit } from './export';
import { auditList } from './lists';
import { AuditEntry, AuditFilters, AuditVerification, VerifyAudit } from './schema';
import { listAudit } from './service';
import { verifyAudit } from './verify';

const tag = 'Audit log';
const rest = restOf(tag);

export const auditRouter = router({
  list: listProcedure(auditList, {
    procedure: authedProcedure,
    item: AuditEntry,
    filters: AuditFilters,
    find: listAudit,
    tag,
    description: 'A domain_admin sees only entries of assigned domains.',
  }),

  export: superAdminProcedure(ExportAudit)
    .meta(
      rest('GET', '/audit/export', {
        summary: 'Export the audit log',
        description:
          'As NDJSON or CSV, unless ordered otherwise the oldest first: all entries, or those that match the filters.',
        file: 'application/x-ndjson',
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => exportAudit(ctx, input)),

  verify: superAdminProcedure(VerifyAudit)
    .meta(
      rest('GET', '/audit/verify', {
        summary: 'Verify the audit log',
        isWriting: true,
        description:
          'Detects entries that were edited, removed or inserted after sealing, and a log that went back or was replaced. Reads the entries since the last verification, ' +
          'or all of them with `full=true`: verify all from time to time, since only that detects later changes to older ' +
          'entries. One verification runs at a time.',
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(AuditVerification)
    .query(({ ctx, input }) => verifyAudit(ctx, input)),
});

import { ById, Confirmation } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { authedProcedure, router } from '@/server/procedures/trpc';
import { restOf } from '@/server/rest/meta';
import { deletedRecordList } from './lists';
import { DeletedRecord, DeletedRecordFilters } from './schema';
import { listDeletedRecords, restoreDeletedRecord } from './service';

const tag = 'Deleted records';
const rest = restOf(tag);
const isOpenToScopedKeys = true;

const records = listProcedures(deletedRecordList, {
  procedure: authedProcedure,
  item: DeletedRecord,
  filters: DeletedRecordFilters,
  find: listDeletedRecords,
  tag,
  description:
    'Aliases, mailboxes, filters, templates, suppressions, webhooks and domains that were deleted in the last 30 days. Domain admins ' +
    'see those of their domains, without webhooks and domains. Suppressions that were deleted together are one record per domain.',
  isOpenToScopedKeys,
});

export const deletedRecordsRouter = router({
  list: records.list,
  export: records.export,

  restore: authedProcedure(ById)
    .meta(
      rest('POST', '/deleted-records/{id}/restore', {
        summary: 'Restore a deleted record',
        description:
          'Brings it back with its ID and what was deleted with it, after the checks of a new one. Takes effect immediately.',
        audit: 'deleted_record.restore',
        confirmation: 'Restores the record and what was deleted with it.',
        isOpenToScopedKeys,
        errors: {
          400: ['ALIAS_CHAIN'],
          403: ['API_KEY_DOMAIN_SCOPE', 'DOMAIN_INACTIVE'],
          404: ['DOMAIN_NOT_FOUND'],
          409: ['CONFLICT', 'DOMAIN_EXISTS'],
        },
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => restoreDeletedRecord(ctx, input)),
});

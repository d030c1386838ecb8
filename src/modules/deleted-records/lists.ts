import type { List, ListInput } from '@/lib/lists';
import type { DeletedRecord, DeletedRecordFilters } from './schema';

export const deletedRecordList = {
  what: 'deleted records',
  path: '/deleted-records',
  sorts: ['deleted_at'],
  csv: [
    'id',
    'kind',
    'name',
    'domain_id',
    'deleted_at',
    ['deleted_by', ({ deleted_by: { email } }) => email],
    'restorable_until',
  ],
} satisfies List<DeletedRecord>;
export type ListDeletedRecords = ListInput<typeof deletedRecordList, typeof DeletedRecordFilters>;

import type { List } from '@/lib/lists';
import type { DeletedRecord } from './schema';

export const deletedRecordList = {
  what: 'deleted records',
  path: '/deleted-records',
  file: 'deleted-records',
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

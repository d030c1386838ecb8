import type { List, ListInput } from '@/lib/lists';
import type { Suppression, SuppressionFilters } from './schema';

export const suppressionList = {
  what: 'suppressions',
  path: '/suppressions',
  sorts: ['created_at'],
  views: 'suppressions',
  csv: [
    'id',
    'email',
    'domain',
    'reason',
    'list',
    'detail',
    'source_message_id',
    'domain_id',
    'created_by',
    'created_at',
    'expires_at',
  ],
} satisfies List<Suppression>;
export type ListSuppressions = ListInput<typeof suppressionList, typeof SuppressionFilters>;

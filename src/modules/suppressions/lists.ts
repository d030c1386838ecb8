import type { List } from '@/lib/lists';
import type { Suppression } from './schema';

export const suppressionList = {
  what: 'suppressions',
  path: '/suppressions',
  file: 'suppressions',
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

import type { List } from '@/lib/lists';
import type { Alert } from './schema';

export const alertList = {
  what: 'alerts',
  path: '/abuse/alerts',
  file: 'alerts',
  views: 'alerts',
  csv: [
    'id',
    'created_at',
    'kind',
    'severity',
    'status',
    'subject',
    'message',
    'count',
    'expected',
    'domain_id',
    'mailbox_id',
    'acknowledged_at',
    'closed_at',
    'resolved',
    'updated_at',
  ],
} satisfies List<Alert>;

import type { List } from '@/lib/lists';
import type { Mailbox } from './schema';

export const mailboxList = {
  what: 'mailboxes',
  path: '/mailboxes',
  file: 'mailboxes',
  views: 'mailboxes',
  csv: [
    'id',
    'email',
    'display_name',
    'active',
    'suspended',
    'suspended_at',
    'suspension_reason',
    'suspension_note',
    'quota_bytes',
    'used_bytes',
    'percent_full',
    'domain_id',
    'created_at',
    'updated_at',
  ],
} satisfies List<Mailbox>;

import type { List, ListInput } from '@/lib/lists';
import type { Mailbox, MailboxFilters } from './schema';

export const mailboxList = {
  what: 'mailboxes',
  path: '/mailboxes',
  sorts: ['created_at', 'local_part', 'percent_full'],
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
    ['quota_bytes', ({ quota_bytes: bytes }) => bytes ?? 'unlimited'],
    'used_bytes',
    'percent_full',
    'domain_id',
    'created_at',
    'updated_at',
  ],
} satisfies List<Mailbox>;
export type ListMailboxes = ListInput<typeof mailboxList, typeof MailboxFilters>;

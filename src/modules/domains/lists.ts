import type { List } from '@/lib/lists';
import type { Domain } from './schema';

export const domainList = {
  what: 'domains',
  path: '/domains',
  file: 'domains',
  views: 'domains',
  csv: [
    'id',
    'name',
    'active',
    'description',
    'dns_status',
    'dmarc_policy',
    'verified_at',
    'dkim_selector',
    'mailbox_count',
    'max_mailboxes',
    'alias_count',
    'max_aliases',
    'default_quota_bytes',
    'hourly_send_limit',
    'mta_sts_mode',
    'other_mx_hosts',
    'created_at',
    'updated_at',
  ],
} satisfies List<Domain>;

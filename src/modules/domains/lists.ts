import type { List } from '@/lib/lists';
import { DNS_STATE_PURPOSES } from '@/lib/mail/dns-purposes';
import type { Domain } from './schema';
import type { DomainState } from './states/schema';

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

export const domainStateList = {
  what: 'domains',
  fullName: 'domains with the state of their DNS and reports',
  path: '/domains/dns',
  file: 'domains-dns',
  views: 'domain_states',
  csv: [
    'id',
    'name',
    'active',
    'dns_status',
    ...DNS_STATE_PURPOSES.map(
      (purpose) => [purpose, ({ records }: DomainState) => records[purpose]?.status ?? ''] as const,
    ),
    'dmarc_policy',
    'mta_sts_mode',
    'checked_at',
    ['dmarc_messages', ({ dmarc_reports }) => dmarc_reports?.messages ?? ''],
    ['dmarc_passed', ({ dmarc_reports }) => dmarc_reports?.passed ?? ''],
    ['dmarc_failed', ({ dmarc_reports }) => dmarc_reports?.failed ?? ''],
    ['tls_sessions', ({ tls_reports }) => tls_reports?.sessions ?? ''],
    ['tls_failed_sessions', ({ tls_reports }) => tls_reports?.failed_sessions ?? ''],
  ],
} satisfies List<DomainState>;

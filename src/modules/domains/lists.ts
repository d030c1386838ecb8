import type { List, ListInput } from '@/lib/lists';
import { DNS_STATE_PURPOSES } from '@/lib/mail/dns-purposes';
import type { Domain, DomainFilters } from './schema';
import type { DomainState, DomainStateFilters } from './states/schema';

export const domainList = {
  what: 'domains',
  path: '/domains',
  /** By `dns_status` or `dmarc_policy`: with `desc`, the worst first. */
  sorts: ['created_at', 'name', 'dns_status', 'dmarc_policy'],
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
export type ListDomains = ListInput<typeof domainList, typeof DomainFilters>;

export const domainStateList = {
  what: 'domains',
  fullName: 'domains with the state of their DNS and reports',
  path: '/domains/dns',
  /** By `dns_status` or `dmarc_policy`: with `desc`, the worst first. Domains without reports come last in either order. */
  sorts: ['dns_status', 'dmarc_policy', 'name', 'checked_at', 'dmarc_pass_rate', 'tls_failures'],
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
export type ListDomainStates = ListInput<typeof domainStateList, typeof DomainStateFilters>;

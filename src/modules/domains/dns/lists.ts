import type { List, ListInput } from '@/lib/lists';
import type { ById } from '@/lib/wire';
import type { DnsChange, DnsRecord } from './schema';

export const dnsChangeList = {
  what: 'changes',
  fullName: 'changes of the DNS records of a domain',
  path: '/domains/{id}/dns/history',
  sorts: ['at'],
  file: 'dns-history',
  csv: ['id', 'at', 'purpose', 'type', 'name', 'status', 'before', 'after'],
} satisfies List<DnsChange>;
export type ListDnsChanges = ListInput<typeof dnsChangeList, typeof ById>;

export const dnsRecordList = {
  what: 'DNS records',
  fullName: 'the DNS records of a domain',
  path: '/domains/{id}/dns',
  file: 'dns-records',
  csv: [
    'purpose',
    'type',
    'name',
    'status',
    'severity',
    'required',
    'expected',
    'found',
    'inherited_from',
    'message',
    'fix',
    'ttl',
    'changed_at',
    'checked_at',
  ],
} satisfies List<DnsRecord>;

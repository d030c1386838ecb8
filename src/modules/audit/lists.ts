import type { List, ListInput } from '@/lib/lists';
import type { AuditEntry, AuditFilters } from './schema';

export const auditList = {
  what: 'entries',
  fullName: 'audit entries',
  path: '/audit',
  sorts: ['created_at'],
  views: 'audit',
  csv: [
    'id',
    'created_at',
    'admin_id',
    'admin_email',
    'api_key_id',
    'action',
    'resource',
    'resource_name',
    'domain_id',
    'outcome',
    'ip_address',
    'user_agent',
    'request_id',
    'details',
    'hash',
    'prev_hash',
  ],
} satisfies List<AuditEntry>;
export type ListAudit = ListInput<typeof auditList, typeof AuditFilters>;

import type { List, ListInput } from '@/lib/lists';
import type { AdminFilters, ListedAdmin } from './schema';

export const adminList = {
  what: 'admins',
  path: '/admins',
  sorts: ['created_at', 'email'],
  views: 'admins',
  csv: ['id', 'email', 'role', 'totp_enabled', 'last_login_at', 'domain_ids', 'created_at'],
} satisfies List<ListedAdmin>;
export type ListAdmins = ListInput<typeof adminList, typeof AdminFilters>;

import type { List } from '@/lib/lists';
import type { ListedAdmin } from './schema';

export const adminList = {
  what: 'admins',
  path: '/admins',
  file: 'admins',
  views: 'admins',
  csv: ['id', 'email', 'role', 'totp_enabled', 'last_login_at', 'domain_ids', 'created_at'],
} satisfies List<ListedAdmin>;

import type { List, ListInput } from '@/lib/lists';
import type { ApiKey, ApiKeyFilters } from './schema';

export const apiKeyList = {
  what: 'API keys',
  path: '/api-keys',
  sorts: ['created_at', 'name'],
  views: 'api_keys',
  csv: [
    'id',
    'name',
    'key_prefix',
    'admin_id',
    'admin_email',
    'scoped_domain_ids',
    'rate_limit',
    'permissions',
    'allowed_ips',
    'senders',
    'last_used_at',
    'expires_at',
    'created_at',
  ],
} satisfies List<ApiKey>;
export type ListApiKeys = ListInput<typeof apiKeyList, typeof ApiKeyFilters>;

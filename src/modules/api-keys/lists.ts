import type { List } from '@/lib/lists';
import type { ApiKey } from './schema';

export const apiKeyList = {
  what: 'API keys',
  path: '/api-keys',
  file: 'api-keys',
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

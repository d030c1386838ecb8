import type { List, ListInput } from '@/lib/lists';
import type { SieveFilter, SieveFilterFilters } from './schema';

export const sieveFilterList = {
  what: 'filters',
  fullName: 'Sieve filters',
  path: '/sieve-filters',
  sorts: ['created_at'],
  file: 'filters',
  views: 'sieve_filters',
  csv: [
    'id',
    'scope',
    'domain',
    'mailbox',
    'position',
    'name',
    'active',
    'script',
    'domain_id',
    'mailbox_id',
    'created_at',
    'updated_at',
  ],
} satisfies List<SieveFilter>;
export type ListSieveFilters = ListInput<typeof sieveFilterList, typeof SieveFilterFilters>;

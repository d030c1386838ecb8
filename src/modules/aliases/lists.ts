import type { List, ListInput } from '@/lib/lists';
import type { Alias, AliasFilters } from './schema';

export const aliasList = {
  what: 'aliases',
  path: '/aliases',
  sorts: ['created_at', 'source_local_part'],
  views: 'aliases',
  csv: ['address', 'destination', 'active'],
} satisfies List<Alias>;
export type ListAliases = ListInput<typeof aliasList, typeof AliasFilters>;

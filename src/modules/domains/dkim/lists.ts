import type { ApiList, ListInput } from '@/lib/lists';
import type { DkimKeyFilters } from './schema';

export const dkimKeyList = {
  what: 'the DKIM keys of a domain',
  path: '/domains/{id}/dkim',
  sorts: ['created_at'],
} satisfies ApiList;
export type ListDkimKeys = ListInput<typeof dkimKeyList, typeof DkimKeyFilters>;

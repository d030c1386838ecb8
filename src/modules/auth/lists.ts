import type { ApiList, ListInput } from '@/lib/lists';

export const sessionList = {
  what: 'your active sessions',
  path: '/auth/sessions',
  sorts: ['created_at'],
} satisfies ApiList;
export type ListSessions = ListInput<typeof sessionList>;

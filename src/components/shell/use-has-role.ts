'use client';

import { hasRole, type Role } from '@/lib/access/roles';
import { trpc } from '../api/trpc';

/** Whether the signed-in admin has a role; undefined until that is known. */
export function useHasRole(required: Role): boolean | undefined {
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  return me.data && hasRole(me.data.role, required);
}

'use client';

import { hasRole, type Role } from '@/lib/roles';
import { trpc } from '../api/trpc';

export function useMay(required: Role): boolean {
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  return me.data !== undefined && hasRole(me.data.role, required);
}

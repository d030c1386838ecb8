'use client';

import { parseAsString, useQueryState } from 'nuqs';
import { trpc } from '../api/trpc';

/** The domains the admin has access to, and the one selected in the header, or the only one. */
export function useDomainScope() {
  const [selectedId] = useQueryState('domain', parseAsString);
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const list = trpc.domains.list.useQuery({ limit: 200, sort: 'name', order: 'asc' }, { staleTime: 60_000 });
  const domains = list.data?.items ?? [];
  const [only, second] = domains;
  const defaultId = selectedId ?? (second ? undefined : only?.id);
  const requiresDomain = me.data && me.data.role === 'domain_admin';
  return {
    /** Whether the API requires a domain to list aliases; undefined until the role is loaded. */
    requiresDomain,
    selectedId,
    domains,
    /** Preselected in forms. */
    defaultId,
    hasNoDomains: list.data?.items.length === 0,
    /** The `domain_id` to list by. */
    listDomainId: selectedId ?? (requiresDomain ? defaultId : undefined),
    needsSelection: requiresDomain === true && !defaultId && list.data !== undefined,
    isReady: requiresDomain === false || (requiresDomain === true && defaultId !== undefined),
    nameOf: (id: string) => domains.find((domain) => domain.id === id)?.name,
  };
}

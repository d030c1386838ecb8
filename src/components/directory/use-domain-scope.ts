'use client';

import { parseAsString, useQueryState } from 'nuqs';
import { askWithPage } from '../api/ask-with-page';
import { NOT_WITH_PAGE } from '../api/page-query-client';
import { trpc } from '../api/trpc';

const ALL_DOMAINS = { limit: 200, sort: 'name', order: 'asc' } as const;

/** The domains the admin has access to, and the one selected in the header, or the only one. */
export function useDomainScope() {
  const [selectedId] = useQueryState('domain', parseAsString);
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const requiresDomain = me.data && me.data.role === 'domain_admin';
  const utils = trpc.useUtils();
  askWithPage(() => utils.domains.list.prefetch(ALL_DOMAINS));
  // Only the lists of a domain_admin depend on it. The others are asked for together with it.
  const list = trpc.domains.list.useQuery(ALL_DOMAINS, {
    staleTime: 60_000,
    meta: requiresDomain === false ? NOT_WITH_PAGE : undefined,
  });
  const domains = list.data?.items ?? [];
  const [only, second] = domains;
  const defaultId = selectedId ?? (second ? undefined : only?.id);
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

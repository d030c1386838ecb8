'use client';

import { parseAsString, useQueryState } from 'nuqs';
import { NOT_WITH_PAGE } from '../api/page-query-client';
import { prefetchDuringRender } from '../api/prefetch-during-render';
import { trpc } from '../api/trpc';

/** Enough to know whether there is only one. */
const FIRST_DOMAINS = { limit: 2, sort: 'name', order: 'asc' } as const;

/** The domain selected in the header, or the only one that the admin has access to. */
export function useDomainScope() {
  const [selectedId] = useQueryState('domain', parseAsString);
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const requiresDomain = me.data && me.data.role === 'domain_admin';
  const utils = trpc.useUtils();
  prefetchDuringRender(() => utils.domains.list.prefetch(FIRST_DOMAINS));
  if (selectedId !== null) prefetchDuringRender(() => utils.domains.get.prefetch({ id: selectedId }));
  // Only the lists of a domain_admin depend on it. The others are asked for together with it.
  const list = trpc.domains.list.useQuery(FIRST_DOMAINS, {
    staleTime: 60_000,
    meta: requiresDomain === false ? NOT_WITH_PAGE : undefined,
  });
  const selected = trpc.domains.get.useQuery({ id: selectedId ?? '' }, { enabled: selectedId !== null });
  const [only, second] = list.data?.items ?? [];
  const defaultDomain = selectedId !== null ? selected.data : second ? undefined : only;
  const defaultId = selectedId ?? defaultDomain?.id;
  return {
    /** Whether the API requires a domain to list aliases; undefined until the role is loaded. */
    requiresDomain,
    selectedId,
    /** undefined until it is loaded, or if it doesn't exist */
    selectedDomain: selectedId !== null ? selected.data : undefined,
    /** Preselected in forms. */
    defaultDomain,
    hasNoDomains: list.data?.items.length === 0,
    /** The `domain_id` to list by. */
    listDomainId: selectedId ?? (requiresDomain ? defaultId : undefined),
    needsSelection: requiresDomain === true && !defaultId && list.data !== undefined,
    isReady: requiresDomain === false || (requiresDomain === true && defaultId !== undefined),
  };
}

'use client';

import { parseAsString, useQueryState } from 'nuqs';
import { trpc } from '../api/trpc';

/** The domains at hand, and the one that a list or a new entry is for: chosen in the header, or the only one there is. */
export function useDomainScope() {
  const [chosen] = useQueryState('domain', parseAsString);
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const list = trpc.domains.list.useQuery({ limit: 200, sort: 'name', order: 'asc' }, { staleTime: 60_000 });
  const domains = list.data?.items ?? [];
  const [only, second] = domains;
  const preset = chosen ?? (second ? undefined : only?.id);
  const mustName = me.data && me.data.role === 'domain_admin';
  return {
    /** Whether the API wants one domain named for a list of aliases; undefined until that is known. */
    mustName,
    chosen,
    domains,
    preset,
    hasNone: list.data?.items.length === 0,
    /** What lists are asked for. */
    asked: chosen ?? (mustName ? preset : undefined),
    isAsking: mustName === true && !preset && list.data !== undefined,
    isReady: mustName === false || (mustName === true && preset !== undefined),
    nameOf: (id: string) => domains.find((domain) => domain.id === id)?.name,
  };
}

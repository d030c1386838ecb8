'use client';

import { trpc } from '../api/trpc';

/** The names of domains by their ids, without those that aren't loaded or no longer exist. */
export function useDomainNames(ids: readonly string[]): Map<string, string> {
  const unique = [...new Set(ids)];
  const found = trpc.useQueries((t) => unique.map((id) => t.domains.get({ id }, { staleTime: 60_000 })));
  return new Map(found.flatMap(({ data }) => (data ? [[data.id, data.name]] : [])));
}

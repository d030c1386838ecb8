'use client';

import { parseAsString, useQueryState } from 'nuqs';
import { trpc } from '../../api/trpc';

const REFRESH_MS = 30_000;

/** Loads what needs attention in the selected domain, or in all. The overview and the navigation share one request. */
export function useAttention() {
  const [domain] = useQueryState('domain', parseAsString);
  return trpc.overview.attention.useQuery({ domain_id: domain ?? undefined }, { refetchInterval: REFRESH_MS });
}

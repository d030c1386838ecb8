'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { trpc } from '../../api/trpc';
import { useAddressSearch } from '../../directory/use-address-search';

/** Shorter words match nearly every message. */
const MIN_MESSAGE_SEARCH = 3;
/** Enough to have those that begin with the words, which the API lists among all that contain them. */
const SEARCHED_DOMAINS = 50;

/** The records that match the words, and whether there may be more to come. */
export function usePaletteSearch(words: string) {
  const [q] = useDebouncedValue(words, 150);
  const isLong = q.length >= MIN_MESSAGE_SEARCH;
  const domains = trpc.domains.list.useQuery(
    { q, limit: SEARCHED_DOMAINS, sort: 'name', order: 'asc' },
    { enabled: q !== '' },
  );
  const addresses = useAddressSearch(q);
  const messages = trpc.messages.list.useQuery({ q, limit: 5 }, { enabled: isLong });
  return {
    isSearching: q !== words || domains.isFetching || addresses.isSearching || messages.isFetching,
    addresses: addresses.matches,
    domains: domains.data?.items ?? [],
    messages: (isLong && messages.data?.items) || [],
  };
}

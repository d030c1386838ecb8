'use client';

import { useDebouncedValue } from '@mantine/hooks';
import { usePathname } from 'next/navigation';
import { parseAsString, useQueryState } from 'nuqs';
import { useEffect, useRef } from 'react';
import { hasRole, type Role } from '@/lib/access/roles';
import { trpc } from '../../api/trpc';
import { useAddressSearch } from '../../directory/use-address-search';
import { MAX_PER_KIND } from './items/item';
import { namedRecord } from './items/named-record';

/** Shorter words match nearly every message and chapter. */
const MIN_TEXT_SEARCH = 3;
/** Enough to have those that begin with the words, which the API lists among all that contain them. */
const SEARCHED_DOMAINS = 50;

/** The records that match the words, and whether there may be more to come. */
export function usePaletteSearch(words: string, role: Role | undefined) {
  const [q] = useDebouncedValue(words, 150);
  const isLong = q.length >= MIN_TEXT_SEARCH;
  const { verbs, name } = namedRecord(q.toLowerCase());
  // As it was typed, unless a verb was taken out.
  const record = verbs.length > 0 ? name : q;
  const asksToRestore = verbs.includes('restore');
  const domains = trpc.useQueries((t) =>
    domainWordsOf(q).map((word) => t.domains.list({ q: word, limit: SEARCHED_DOMAINS, sort: 'name', order: 'asc' })),
  );
  const addresses = useAddressSearch(record);
  const has = (minRole: Role) => q !== '' && role !== undefined && hasRole(role, minRole);
  const webhooks = trpc.webhooks.list.useQuery({ q: record, limit: MAX_PER_KIND }, { enabled: has('admin') });
  const admins = trpc.admins.list.useQuery({ q: record, limit: MAX_PER_KIND }, { enabled: has('super_admin') });
  // Names of these are searched by some letters: each is a query more for every key.
  const named = { input: { q: record, limit: MAX_PER_KIND }, options: { enabled: isLong } };
  const apiKeys = trpc.apiKeys.list.useQuery(named.input, named.options);
  const filters = trpc.sieveFilters.list.useQuery(named.input, named.options);
  const templates = trpc.templates.list.useQuery(named.input, named.options);
  const suppressions = trpc.suppressions.list.useQuery(named.input, named.options);
  const messages = trpc.messages.list.useQuery({ q, limit: 5 }, { enabled: isLong });
  const deleted = trpc.deletedRecords.list.useQuery({ q: record, limit: MAX_PER_KIND }, { enabled: asksToRestore });
  const sections = trpc.docs.sections.useQuery({ q }, { enabled: isLong, staleTime: Number.POSITIVE_INFINITY });
  const operations = trpc.reference.operations.useQuery(
    { q },
    { enabled: isLong, staleTime: Number.POSITIVE_INFINITY },
  );
  const found = new Map(domains.flatMap(itemsOf).map((domain) => [domain.id, domain]));
  const isLate = q !== words;
  const { name: wanted } = namedRecord(words.toLowerCase());
  const isWanted = (...names: string[]) => names.some((each) => each.toLowerCase().includes(wanted));
  return {
    isSearching:
      isLate ||
      addresses.isSearching ||
      [
        ...domains,
        webhooks,
        admins,
        apiKeys,
        filters,
        templates,
        suppressions,
        messages,
        deleted,
        sections,
        operations,
      ].some(({ isFetching }) => isFetching),
    addresses: useKept(addresses.matches, { isLate, isLoading: addresses.isLoading }, ({ address }) =>
      isWanted(address),
    ),
    currentDomain: useCurrentDomain(),
    domains: useKept([...found.values()], { isLoading: domains.some(({ isLoading }) => isLoading) }),
    webhooks: useKept(itemsOf(webhooks), { isLate, isLoading: webhooks.isLoading }, (one) =>
      isWanted(one.name, one.url),
    ),
    admins: useKept(itemsOf(admins), { isLate, isLoading: admins.isLoading }, ({ email }) => isWanted(email)),
    apiKeys: useKept(isLong ? itemsOf(apiKeys) : [], { isLate, isLoading: apiKeys.isLoading }, ({ name }) =>
      isWanted(name),
    ),
    filters: useKept(isLong ? itemsOf(filters) : [], { isLate, isLoading: filters.isLoading }, ({ name }) =>
      isWanted(name),
    ),
    templates: useKept(isLong ? itemsOf(templates) : [], { isLate, isLoading: templates.isLoading }, ({ name }) =>
      isWanted(name),
    ),
    suppressions: useKept(
      isLong ? itemsOf(suppressions) : [],
      { isLate, isLoading: suppressions.isLoading },
      ({ email }) => isWanted(email),
    ),
    messages: useKept(isLong ? itemsOf(messages) : [], messages),
    deleted: useKept(asksToRestore ? itemsOf(deleted) : [], { isLate, isLoading: deleted.isLoading }, (one) =>
      isWanted(one.name),
    ),
    operations: useKept(isLong ? itemsOf(operations) : [], operations),
    sections: useKept(isLong ? itemsOf(sections) : [], sections),
  };
}

/** Whether items are of the words before, and what is still loading. */
type Progress = { isLate?: boolean; isLoading: boolean };

/**
 * Returns the items that were found. Until those of the present words are there, it returns the former ones that match, so that
 * nothing vanishes and comes back.
 */
function useKept<Item>(
  items: Item[],
  { isLate = false, isLoading }: Progress,
  matches: (item: Item) => boolean = () => true,
): Item[] {
  const former = useRef<Item[]>([]);
  useEffect(() => {
    if (!isLoading) former.current = items;
  });
  const all = isLoading ? former.current : items;
  return isLate || isLoading ? all.filter(matches) : all;
}

function itemsOf<Item>({ data }: { data?: { items: Item[] } }): Item[] {
  return data?.items ?? [];
}

/** The text, and its first and last word, as in "acme dkim" and "rotate dkim acme". */
function domainWordsOf(q: string): string[] {
  const words = q.split(/\s+/);
  return q === '' ? [] : [...new Set([q, words[0] ?? q, words.at(-1) ?? q])];
}

/** The domain whose page is open, or that is selected in the header. */
function useCurrentDomain() {
  const [selectedId] = useQueryState('domain', parseAsString);
  const id = /^\/domains\/([^/]+)$/.exec(usePathname())?.[1] ?? selectedId;
  return trpc.domains.get.useQuery({ id: id ?? '' }, { enabled: id !== null }).data;
}

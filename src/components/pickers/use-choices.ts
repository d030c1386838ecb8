'use client';

import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getQueryKey } from '@trpc/react-query';
import { useEffect } from 'react';
import { toProblem } from '../api/problem';
import { trpc } from '../api/trpc';
import { type Choice, type Noun, rankChoices, statusOf } from './choices';
import type { PickerSearch } from './use-picker-search';

const PAGE_SIZE = 50;

export type Choices = ReturnType<typeof useChoices>;

type Page<Item> = { items: Item[]; pagination: { next_cursor: string; has_more: boolean; total?: number | null } };

type Source<Item> = {
  noun: Noun;
  key: readonly unknown[];
  load: (page: { cursor?: string; total?: true }) => Promise<Page<Item>>;
  /** Loads what has exactly the searched name. The first page of the list may be full before it. */
  loadNamed?: () => Promise<Page<Item>>;
  toChoice: (item: Item) => Choice;
};

type DomainFilter = { active?: true; by?: 'id' | 'name' };

/** The domains that the admin has access to whose name contains the text. */
export function useDomainChoices(search: PickerSearch, { active, by = 'id' }: DomainFilter = {}): Choices {
  const { client } = trpc.useUtils();
  const input = { active, q: search.q || undefined, limit: PAGE_SIZE, sort: 'name', order: 'asc' } as const;
  return useChoices(search, {
    noun: { one: 'domain', many: 'domains' },
    key: getQueryKey(trpc.domains.list, input, 'infinite'),
    load: (page) => client.domains.list.query({ ...input, ...page }),
    loadNamed: () => client.domains.list.query({ active, name: search.q, limit: 1 }),
    toChoice: (domain) => ({ value: domain[by], label: domain.name }),
  });
}

type MailboxFilter = { domainId?: string; active?: true; by?: 'id' | 'email' };

/** The mailboxes, of one domain or of all, whose address or name contains the text. */
export function useMailboxChoices(search: PickerSearch, { domainId, active, by = 'id' }: MailboxFilter): Choices {
  const { client } = trpc.useUtils();
  const filter = { domain_id: domainId, active, q: search.q || undefined };
  const input = { ...filter, limit: PAGE_SIZE, sort: 'local_part', order: 'asc' } as const;
  return useChoices(search, {
    noun: { one: 'mailbox', many: 'mailboxes' },
    key: getQueryKey(trpc.mailboxes.list, input, 'infinite'),
    load: (page) => client.mailboxes.list.query({ ...input, ...page }),
    toChoice: (mailbox) => ({ value: mailbox[by], label: mailbox.email }),
  });
}

/** The templates, newest first, whose name contains the text. */
export function useTemplateChoices(search: PickerSearch): Choices {
  const { client } = trpc.useUtils();
  const input = { q: search.q || undefined, limit: PAGE_SIZE };
  return useChoices(search, {
    noun: { one: 'template', many: 'templates' },
    key: getQueryKey(trpc.templates.list, input, 'infinite'),
    load: (page) => client.templates.list.query({ ...input, ...page }),
    loadNamed: () => client.templates.list.query({ name: search.q, limit: PAGE_SIZE }),
    toChoice: ({ id, name, domain }) => ({ value: id, label: `${name} (${domain})`, name }),
  });
}

/** Asks for nothing before the picker is opened, and not while somebody types. */
function useChoices<Item>(
  { q, isOpened, isWaiting }: PickerSearch,
  { noun, key, load, loadNamed, toChoice }: Source<Item>,
) {
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: async ({ pageParam: cursor }) => {
      if (cursor !== undefined) return load({ cursor });
      // The list is enough without the second call, which an instance of the version before rejects.
      const named = q === '' ? null : loadNamed?.().catch(() => null);
      const [first, found] = await Promise.all([load({ total: true }), named]);
      return found ? { ...first, items: [...found.items, ...first.items] } : first;
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ pagination }) => (pagination.has_more ? pagination.next_cursor : undefined),
    enabled: isOpened && !isWaiting,
    placeholderData: keepPreviousData,
  });
  const { data, hasNextPage, isFetching, isError, fetchNextPage, refetch } = query;
  const loaded = data?.pages.flatMap(({ items }) => items.map(toChoice)) ?? [];
  const choices = rankChoices([...new Map(loaded.map((choice) => [choice.value, choice])).values()], q);
  const isSettled = !isWaiting && !isFetching && !query.isPlaceholderData && data !== undefined;
  const isEmptyPage = isSettled && !isError && hasNextPage && choices.length === 0;
  // A search of many rows may pause before it has found one.
  useEffect(() => {
    if (isEmptyPage) void fetchNextPage();
  }, [isEmptyPage, fetchNextPage]);

  const status = statusOf({
    ...{ noun, q, shown: choices.length, total: data?.pages[0]?.pagination.total ?? null },
    ...{ hasMore: hasNextPage, isSettled: isSettled && !isEmptyPage },
    isOffline: query.isPaused,
    problem: isError && !isFetching ? toProblem(query.error).message : null,
  });
  const next = () => void (query.isFetchNextPageError || !isError ? fetchNextPage() : refetch());
  const action = isError ? 'Try again' : 'Show more';
  return { choices, isSettled, status, action: isError || hasNextPage ? { label: action, run: next } : null };
}

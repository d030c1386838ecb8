'use client';

import { Button, Group } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import Link from 'next/link';
import { type MouseEvent, useEffect, useRef } from 'react';
import { trpc } from '@/components/api/trpc';
import { useCursorHistory } from '@/components/data-table/cursor-history';
import { DataTable } from '@/components/data-table/data-table';
import { Pagination } from '@/components/data-table/pagination';
import { EmptyState, ErrorState } from '@/components/data-table/states';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { formatMoment, formatZone } from '@/lib/format';
import type { MessageSummary } from '../schema';
import { messageColumns } from './message-columns';
import { MessagePeek } from './message-peek';
import { MessageTools } from './message-tools';
import { StatusFilter } from './status-filter';
import { type MessageFilters, useMessageFilters } from './use-message-filters';

const REFRESH_MS = 15_000;

export function MessagesPage() {
  const search = useMessageFilters();
  const { filters, change } = search;
  const trail = useCursorHistory();
  const list = trpc.messages.list.useQuery(
    { ...search.input, cursor: trail.cursor },
    { placeholderData: keepPreviousData, refetchInterval: trail.isFirst ? REFRESH_MS : false },
  );
  const rows = list.data?.items;
  const isPeeking = filters.peek !== null;
  const openPeek = (id: string | null) => change({ peek: id, cursor: filters.cursor });
  useRestoreFocus(filters.peek);

  const columns = messageColumns(isPeeking, ({ id }: MessageSummary) => ({
    href: `/messages/${id}`,
    onClick: (event: MouseEvent) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      openPeek(id);
    },
  }));

  return (
    <Page peek={filters.peek && <MessagePeek id={filters.peek} rows={rows ?? []} onOpen={openPeek} />}>
      <PageHeader title="Messages" description={<span suppressHydrationWarning>{describeRange(filters)}</span>}>
        <Button component={Link} href="/send" variant="filled" leftSection={<IconSend stroke={1.75} />}>
          Send message
        </Button>
      </PageHeader>
      <StatusFilter filters={filters} change={change} />
      <MessageTools {...search} />
      {list.isError && <ErrorState what="messages" error={list.error} onRetry={() => void list.refetch()} />}
      {!list.isError && rows?.length === 0 && trail.isFirst ? (
        <NoMessages {...search} />
      ) : (
        !list.isError && (
          <>
            <DataTable
              caption={`Messages, ${filters.order === 'desc' ? 'newest' : 'oldest'} first`}
              isDense={isPeeking}
              columns={columns}
              rows={rows}
              rowKey={({ id }) => id}
              rowHref={({ id }) => `/messages/${id}`}
              onOpen={({ id }) => openPeek(id)}
              isSelected={({ id }) => id === filters.peek}
              isStale={list.isPlaceholderData}
              skeletonRows={14}
              sort={{ field: 'created_at', order: filters.order, onSort: (_, order) => change({ order }) }}
            />
            <Pagination
              page={list.data}
              history={trail}
              labels={
                filters.order === 'desc' ? { back: 'Newer', forward: 'Older' } : { back: 'Older', forward: 'Newer' }
              }
            />
          </>
        )
      )}
    </Page>
  );
}

function useRestoreFocus(peek: string | null): void {
  const last = useRef(peek);
  useEffect(() => {
    if (last.current && !peek) document.querySelector<HTMLElement>(`[data-row="${last.current}"]`)?.focus();
    last.current = peek;
  }, [peek]);
}

function describeRange({ since, until }: MessageFilters['filters']): string {
  const from = since && `since ${formatMoment(since.toISOString())}`;
  const to = until && `until ${formatMoment(until.toISOString())}`;
  const range = [from, to].filter(Boolean).join(' ');
  return `${range ? `Messages ${range}` : 'All retained messages'} · times in ${formatZone()}`;
}

function NoMessages({ isFiltered, clear }: MessageFilters) {
  if (isFiltered) {
    return (
      <EmptyState title="No matching messages">
        <p>No messages match these filters. Search by exact address, words in the subject, message ID or queue ID.</p>
        <Group pt="md">
          <Button onClick={clear}>Clear filters</Button>
        </Group>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="No messages yet">
      <p>
        Messages appear here with their delivery status. Open one to trace it from the API call to the receiving
        server’s reply. Send a test message to get started.
      </p>
      <Group pt="md">
        <Button component={Link} href="/send?test=true" variant="outline" leftSection={<IconSend stroke={1.5} />}>
          Send test message
        </Button>
      </Group>
    </EmptyState>
  );
}

'use client';

import { Button, Group } from '@mantine/core';
import dynamic from 'next/dynamic';
import type { MouseEvent } from 'react';
import { prefetchDuringRender } from '@/components/api/prefetch-during-render';
import { trpc } from '@/components/api/trpc';
import { timeLabels } from '@/components/data-table/pagination';
import { EmptyState } from '@/components/data-table/states';
import { IconSend } from '@/components/icons/icons';
import { ListView } from '@/components/list/list-view';
import { nameOfPeriod } from '@/components/list/since';
import { useList } from '@/components/list/use-list';
import { loadPart } from '@/components/load-part';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { LocalText } from '@/components/values/local-text';
import { formatBound, formatZone } from '@/lib/format';
import { messageList } from '../lists';
import type { MessageSummary } from '../schema';
import { messageColumns } from './message-columns';
import { MessageTools } from './message-tools';
import { RetentionNote } from './retention-note';
import { StatusFilter } from './status-filter';
import { ANY, inputOf, isDay, type MessageSearch, sinceOf, totalsOf, useMessageSearch } from './use-message-search';

const FAILED: ReadonlySet<MessageSummary['status'] | null> = new Set(['bounced', 'failed', 'deferred']);

const MessagePeek = dynamic(() => loadPart(import('./message-peek').then((module) => module.MessagePeek)));

const REFRESH_MS = 15_000;

export function MessagesPage() {
  const search = useMessageSearch();
  const { values, open } = search;
  const utils = trpc.useUtils();
  prefetchDuringRender(() => utils.messages.totals.prefetch(totalsOf(search)));
  prefetchDuringRender(() => utils.messages.keptDays.prefetch({}));
  const { template } = values;
  if (template) prefetchDuringRender(() => utils.templates.get.prefetch({ id: template }));
  const list = useList(messageList, trpc.messages.list, {
    search,
    input: inputOf(search),
    refetchInterval: search.history.isFirst && REFRESH_MS,
  });
  const items = list.query.data?.items;
  const isPeeking = values.peek !== null;
  const openPeek = (peek: string | null) => open({ peek });

  const columns = messageColumns({
    isNarrow: isPeeking,
    isFailed: FAILED.has(values.status),
    link: ({ id }: MessageSummary) => ({
      href: `/messages/${id}`,
      onClick: (event: MouseEvent) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        openPeek(id);
      },
    }),
  });

  return (
    <Page
      peek={
        values.peek && (
          <MessagePeek id={values.peek} rows={items ?? []} onOpen={openPeek} onClose={() => openPeek(null)} />
        )
      }
    >
      <PageHeader title="Messages" description={<LocalText>{() => describeRange(search)}</LocalText>}>
        <Button component={NearLink} href="/send" variant="filled" leftSection={<IconSend stroke={1.75} />}>
          Send message
        </Button>
      </PageHeader>
      <StatusFilter search={search} />
      <MessageTools list={list} search={search} />
      <ListView
        list={list}
        empty={<NoMessages search={search} />}
        noMatches="No messages match these filters. Search by a part of an address or subject, message ID or queue ID."
        caption={`Messages, ${values.order === 'desc' ? 'newest' : 'oldest'} first`}
        isDense={isPeeking}
        columns={columns}
        rowHref={({ id }) => `/messages/${id}`}
        onOpen={({ id }) => openPeek(id)}
        isSelected={({ id }) => id === values.peek}
        skeletonRows={14}
        pageLabels={timeLabels(values.order)}
      />
      {items && <RetentionNote />}
    </Page>
  );
}

function describeRange(search: MessageSearch): string {
  const since = sinceOf(search);
  const { until } = search.values;
  const from =
    since && (since instanceof Date ? `since ${formatBound(since.toISOString())}` : `of the ${nameOfPeriod(since)}`);
  const to = until && `until ${formatBound(until.toISOString())}`;
  const range = [from, to].filter(Boolean).join(' ');
  const zone = since instanceof Date || until ? ` · times in ${formatZone()}` : '';
  return range ? `Messages ${range}${zone}` : 'All retained messages';
}

/** Whether there are older ones is asked only here. */
function NoMessages({ search }: { search: MessageSearch }) {
  const domain = search.values.domain ?? undefined;
  const older = trpc.messages.list.useQuery({ domain_id: domain, limit: 1 }, { enabled: isDay(search) });
  if (older.data?.items.length !== 0 && isDay(search)) {
    return (
      <EmptyState title="No messages in the last 24 hours">
        <Group pt="md">
          <Button variant="outline" onClick={() => search.change({ since: ANY })}>
            Show older messages
          </Button>
        </Group>
      </EmptyState>
    );
  }
  return <NoMessagesYet />;
}

function NoMessagesYet() {
  return (
    <EmptyState title="No messages yet">
      <p>
        Messages appear here with their delivery status. Open one to trace it from the API call to the receiving
        server’s reply. Send a test message to get started.
      </p>
      <Group pt="md">
        <Button component={NearLink} href="/send?test=true" variant="outline" leftSection={<IconSend stroke={1.5} />}>
          Send test message
        </Button>
      </Group>
    </EmptyState>
  );
}

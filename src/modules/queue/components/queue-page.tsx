'use client';

import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { useCursorHistory } from '@/components/data-table/cursor-history';
import { DataTable } from '@/components/data-table/data-table';
import { Pagination } from '@/components/data-table/pagination';
import { ErrorState } from '@/components/data-table/states';
import { StatusMark } from '@/components/marks/status-mark';
import { Notification } from '@/components/notification';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { formatMoment, formatPlural } from '@/lib/format';
import type { QueuedMessage, QueueSummary } from '../schema';
import { DeleteQueuedDialog } from './delete-queued-dialog';
import { queueColumns } from './queue-columns';
import { QueueCounts } from './queue-counts';
import classes from './queue-page.module.css';
import { EmptyQueue, QueueUnavailable } from './queue-states';
import { QueueTools } from './queue-tools';
import { QueuedDetails } from './queued-details';
import { useQueueActions } from './use-queue-actions';
import { useQueueFilters } from './use-queue-filters';

const REFRESH_MS = 10_000;
/** For long queues: each refresh reads the whole queue from the mail server's disk. */
const REFRESH_LONG_MS = 60_000;
const LONG_QUEUE = 5_000;

export function QueuePage() {
  const search = useQueueFilters();
  const { filters, change, open, input } = search;
  const history = useCursorHistory();
  const actions = useQueueActions();
  const [deleting, setDeleting] = useState<QueuedMessage | null>(null);
  // No automatic retry, so that an error shows immediately. The next refresh retries.
  const summary = trpc.queue.summary.useQuery(
    {},
    { refetchInterval: ({ state }) => refreshIntervalMs(state.data), retry: false },
  );
  const list = trpc.queue.list.useQuery(
    { ...input, cursor: history.cursor },
    { refetchInterval: refreshIntervalMs(summary.data), retry: false, placeholderData: keepPreviousData },
  );
  const refresh = () => void Promise.all([summary.refetch(), list.refetch()]);
  const rows = list.data?.items;
  const problem = list.error ? toProblem(list.error) : null;
  const isUnavailable = problem?.code === 'MAIL_STACK_UNAVAILABLE';
  const isEmpty = rows?.length === 0 && history.isFirst;
  const isNotListed = filters.open !== null && rows?.every((row) => row.queue_id !== filters.open);

  return (
    <Page>
      <PageHeader title="Queue" description={descriptionOf(problem ? undefined : summary.data)}>
        <Button
          leftSection={<IconRefresh stroke={1.5} />}
          loading={actions.isFlushing}
          disabled={problem !== null || !summary.data?.counts.deferred}
          onClick={() => void actions.flushAll()}
        >
          Retry all deferred
        </Button>
      </PageHeader>
      {problem && isUnavailable && (!rows || problem.details.mail_server) ? (
        <QueueUnavailable problem={problem} onRetry={refresh} />
      ) : problem && !rows ? (
        <ErrorState what="the queue" error={list.error} onRetry={refresh}>
          <Button onClick={search.clear}>Clear filters</Button>
        </ErrorState>
      ) : (
        <>
          <QueueCounts filters={filters} change={change} summary={summary.data} />
          <QueueTools {...search}>
            {problem && <StatusMark status="warning">Not up to date: the mail server isn’t responding</StatusMark>}
          </QueueTools>
          {isNotListed && (
            <p className={`soft ${classes.notListed}`}>
              <span>
                <code>{filters.open}</code> isn’t listed: the message left the queue or is on another page.
              </span>
              <Button size="xs" onClick={() => open(null)}>
                Dismiss
              </Button>
            </p>
          )}
          {isEmpty ? (
            <EmptyQueue isFiltered={search.isFiltered} onClear={search.clear} />
          ) : (
            <>
              <DataTable
                caption={`Queue, ${filters.order === 'asc' ? 'oldest' : 'newest'} first`}
                columns={queueColumns({ openId: filters.open, onOpen: open })}
                rows={rows}
                rowKey={(row) => row.queue_id}
                rowHref={(row) => `/queue?open=${row.queue_id}`}
                onOpen={(row) => open(row.queue_id === filters.open ? null : row.queue_id)}
                expanded={(row) =>
                  row.queue_id === filters.open ? (
                    <QueuedDetails
                      queued={row}
                      onAction={(action) => void actions.run(action, row)}
                      onDelete={() => setDeleting(row)}
                    />
                  ) : null
                }
                isStale={list.isPlaceholderData}
                sort={{ field: 'arrived_at', order: filters.order, onSort: (_, order) => change({ order }) }}
              />
              <Pagination page={list.data} history={history} />
            </>
          )}
        </>
      )}
      <Notification notice={actions.notice} onDismiss={actions.dismiss} />
      <DeleteQueuedDialog
        queued={deleting}
        isBusy={actions.isBusy}
        onClose={() => setDeleting(null)}
        onConfirm={(queued) =>
          void actions.run('delete', queued, () => {
            setDeleting(null);
            open(null);
          })
        }
      />
    </Page>
  );
}

function refreshIntervalMs(summary: QueueSummary | undefined): number {
  return summary && summary.total > LONG_QUEUE ? REFRESH_LONG_MS : REFRESH_MS;
}

function descriptionOf(summary: QueueSummary | undefined): string {
  if (!summary?.oldest_arrived_at) return 'Messages your mail server hasn’t delivered yet';
  return `${formatPlural(summary.total, 'message')}, the oldest from ${formatMoment(summary.oldest_arrived_at)}`;
}

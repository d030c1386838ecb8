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
import { NothingWaits, QueueProblemNote } from './queue-notes';
import { QueueTools } from './queue-tools';
import { QueuedDetails } from './queued-details';
import { useQueueActions } from './use-queue-actions';
import { useQueueFilters } from './use-queue-filters';

const REFRESH_MS = 10_000;
/** Each look reads the whole queue from the mail server's disk. */
const REFRESH_LONG_MS = 60_000;
const LONG_QUEUE = 5_000;

export function QueuePage() {
  const search = useQueueFilters();
  const { filters, change, open, input } = search;
  const trail = useCursorHistory();
  const actions = useQueueActions();
  const [deleting, setDeleting] = useState<QueuedMessage | null>(null);
  // Whether a mail server answers is told at once; the next look comes by itself.
  const summary = trpc.queue.summary.useQuery({}, { refetchInterval: ({ state }) => pace(state.data), retry: false });
  const list = trpc.queue.list.useQuery(
    { ...input, cursor: trail.cursor },
    { refetchInterval: pace(summary.data), retry: false, placeholderData: keepPreviousData },
  );
  const refresh = () => void Promise.all([summary.refetch(), list.refetch()]);
  const rows = list.data?.items;
  const problem = list.error ? toProblem(list.error) : null;
  const isUnavailable = problem?.code === 'MAIL_STACK_UNAVAILABLE';
  const isEmpty = rows?.length === 0 && trail.isFirst;
  const hasLeft = filters.open !== null && rows?.every((row) => row.queue_id !== filters.open);

  return (
    <Page>
      <PageHeader title="Queue" description={ledeOf(problem ? undefined : summary.data)}>
        <Button
          leftSection={<IconRefresh stroke={1.5} />}
          loading={actions.isFlushing}
          disabled={problem !== null || !summary.data?.counts.deferred}
          onClick={() => void actions.flushAll()}
        >
          Try all deferred now
        </Button>
      </PageHeader>
      {problem && isUnavailable && (!rows || problem.details.mail_server) ? (
        <QueueProblemNote problem={problem} onRetry={refresh} />
      ) : problem && !rows ? (
        <ErrorState what="the queue" error={list.error} onRetry={refresh}>
          <Button onClick={search.clear}>Clear the filters</Button>
        </ErrorState>
      ) : (
        <>
          <QueueCounts filters={filters} change={change} summary={summary.data} />
          <QueueTools {...search}>
            {problem && <StatusMark status="warning">Not up to date: the mail server does not answer</StatusMark>}
          </QueueTools>
          {hasLeft && (
            <p className="soft has-left">
              <span>
                <code>{filters.open}</code> is not listed here: it left the queue, or it is on another page.
              </span>
              <Button size="xs" onClick={() => open(null)}>
                Only the list
              </Button>
            </p>
          )}
          {isEmpty ? (
            <NothingWaits isFiltered={search.isFiltered} onClear={search.clear} />
          ) : (
            <>
              <DataTable
                caption={`The queue, the ${filters.order === 'asc' ? 'longest waiting' : 'newest'} first`}
                columns={queueColumns({ openId: filters.open, onOpen: open })}
                rows={rows}
                rowKey={(row) => row.queue_id}
                rowHref={(row) => `/queue?open=${row.queue_id}`}
                onOpen={(row) => open(row.queue_id === filters.open ? null : row.queue_id)}
                expanded={(row) =>
                  row.queue_id === filters.open ? (
                    <QueuedDetails
                      queued={row}
                      onAct={(what) => void actions.act(what, row)}
                      onDelete={() => setDeleting(row)}
                    />
                  ) : null
                }
                isStale={list.isPlaceholderData}
                sort={{ field: 'arrived_at', order: filters.order, onSort: (_, order) => change({ order }) }}
              />
              <Pagination page={list.data} history={trail} />
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
          void actions.act('delete', queued, () => {
            setDeleting(null);
            open(null);
          })
        }
      />
    </Page>
  );
}

function pace(summary: QueueSummary | undefined): number {
  return summary && summary.total > LONG_QUEUE ? REFRESH_LONG_MS : REFRESH_MS;
}

function ledeOf(summary: QueueSummary | undefined): string {
  if (!summary?.oldest_arrived_at) return 'What the mail server has not delivered yet, and why';
  const waiting = formatPlural(summary.total, 'message waits', 'messages wait');
  return `${waiting}, the oldest since ${formatMoment(summary.oldest_arrived_at)}`;
}

'use client';

import { Button } from '@mantine/core';
import { useState } from 'react';
import { prefetchDuringRender } from '@/components/api/prefetch-during-render';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { IconRefresh } from '@/components/icons/icons';
import { CountFilter } from '@/components/layout/count-filter';
import { useList } from '@/components/list/use-list';
import { StatusMark } from '@/components/marks/status-mark';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { formatCount, formatMoment, formatPlural } from '@/lib/format';
import { queueList } from '../lists';
import type { QueuedMessage, QueueSummary } from '../schema';
import { BulkResult } from './bulk-result';
import { DeleteQueuedDialog } from './delete-queued-dialog';
import { QueueCauses } from './queue-causes';
import { QUEUE_LABELS } from './queue-labels';
import classes from './queue-page.module.css';
import { QueueUnavailable } from './queue-states';
import { QueueTable } from './queue-table';
import { QueueTools } from './queue-tools';
import { RetryAllDialog } from './retry-all-dialog';
import { useQueueActions } from './use-queue-actions';
import { inputOf, type QueueSearch, useQueueSearch } from './use-queue-search';

const REFRESH_MS = 10_000;
/** For long queues: each refresh reads the whole queue from the mail server's disk. */
const REFRESH_LONG_MS = 60_000;
const LONG_QUEUE = 5_000;

export function QueuePage() {
  const search = useQueueSearch();
  const { values, change } = search;
  const { sort, order } = values;
  const actions = useQueueActions();
  const [isAsking, setIsAsking] = useState(false);
  const [deleting, setDeleting] = useState<QueuedMessage[]>([]);
  const utils = trpc.useUtils();
  const input = inputOf(search);
  prefetchDuringRender(() => utils.queue.list.prefetch({ ...input, sort, order, cursor: search.history.cursor }));
  // No automatic retry, so that an error shows immediately. The next refresh retries.
  const summary = trpc.queue.summary.useQuery(
    {},
    { refetchInterval: ({ state }) => refreshIntervalMs(state.data), retry: false },
  );
  const list = useList(queueList, trpc.queue.list, {
    search,
    input,
    isCounted: false,
    refetchInterval: refreshIntervalMs(summary.data),
    retry: false,
  });
  const { data, error, refetch } = list.query;
  const refresh = () => void Promise.all([summary.refetch(), refetch()]);
  const isWaiting = summary.isPending && !search.isFiltered && error === null;
  const rows = data?.items;
  const problem = error ? toProblem(error) : null;
  const isUnavailable = problem?.code === 'MAIL_STACK_UNAVAILABLE';
  const open = (id: string | null) => search.open({ open: id });
  const suspendedCount = summary.data?.suspended_senders.reduce((sum, { count }) => sum + count, 0) ?? 0;
  // The dialog says how many are put on hold instead.
  const retriedCount = suspendedCount > 0 ? 0 : (summary.data?.counts.deferred ?? 0);
  const isNotListed = values.open !== null && rows?.every((row) => row.queue_id !== values.open);

  return (
    <Page>
      <PageHeader title="Queue" description={descriptionOf(problem ? undefined : summary.data)}>
        <Button
          leftSection={<IconRefresh stroke={1.5} />}
          loading={actions.isFlushing}
          disabled={problem !== null || !summary.data?.counts.deferred}
          onClick={() => (suspendedCount > 0 ? setIsAsking(true) : actions.flushAll())}
        >
          Retry deferred{' '}
          <span className={classes.deferredCount}>{retriedCount > 0 ? formatCount(retriedCount) : null}</span>
        </Button>
      </PageHeader>
      {problem && isUnavailable && (!rows || problem.details.mail_server) ? (
        <QueueUnavailable problem={problem} onRetry={refresh} />
      ) : (
        <>
          <QueueCounts values={values} change={change} summary={summary.data} />
          <QueueTools list={list} search={search} />
          {summary.data && !search.isFiltered && (
            <QueueCauses summary={summary.data} actions={actions} onDelete={setDeleting} />
          )}
          {actions.outcome && <BulkResult outcome={actions.outcome} onDismiss={actions.dismissOutcome} />}
          {isNotListed && (
            <p className={`soft ${classes.notListed}`}>
              <span>
                <code>{values.open}</code> isn’t listed: the message left the queue or is on another page.
              </span>
              <Button size="xs" onClick={() => open(null)}>
                Dismiss
              </Button>
            </p>
          )}
          <QueueTable
            // Another table than that of the first load, which the causes would move.
            key={isWaiting ? 'waiting' : 'shown'}
            list={{
              ...list,
              query: { ...list.query, ...(isWaiting && { data: undefined }), refetch: refresh },
              total: search.isFiltered ? null : summary.data?.total,
            }}
            search={search}
            actions={actions}
            onDelete={setDeleting}
          />
        </>
      )}
      <RetryAllDialog
        opened={isAsking}
        suspendedCount={suspendedCount}
        isBusy={actions.isBusy}
        onClose={() => setIsAsking(false)}
        onConfirm={() => {
          setIsAsking(false);
          void actions.flushOthers(summary.data?.suspended_senders.map(({ from }) => from) ?? []);
        }}
      />
      <DeleteQueuedDialog
        messages={deleting}
        isBusy={actions.isBusy}
        onClose={() => setDeleting([])}
        onConfirm={() =>
          actions.actOnAll('delete', deleting, () => {
            setDeleting([]);
            if (deleting.some(({ queue_id: id }) => id === values.open)) open(null);
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

const SHOWN = ['deferred', 'active', 'incoming', 'hold'] as const;

type QueueCountsProps = Pick<QueueSearch, 'values' | 'change'> & { summary: QueueSummary | undefined };

function QueueCounts({ values, change, summary }: QueueCountsProps) {
  return (
    <CountFilter
      label="Status"
      value={values.queue}
      total={summary?.total}
      counts={SHOWN.map((queue) => ({
        value: queue,
        title: <StatusMark status={QUEUE_LABELS[queue][0]}>{QUEUE_LABELS[queue][1]}</StatusMark>,
        count: summary?.counts[queue],
      }))}
      onChange={(queue) => change({ queue })}
    />
  );
}

'use client';

import { Button } from '@mantine/core';
import { EmptyState, ErrorState } from '@/components/data-table/states';
import { Skeleton } from '@/components/marks/skeleton';
import classes from './history.module.css';
import { HistoryEntry } from './history-entry';
import { useHistory } from './use-history';

/** The changes of a record, the newest first. @param resource for example `alias:<uuid>` */
export function History({ resource }: { resource: string }) {
  const { data, isError, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useHistory(resource);

  if (isError && !data) return <ErrorState what="the history" error={error} onRetry={() => void refetch()} />;
  if (!data) return <HistorySkeleton />;
  const entries = data.pages.flatMap(({ items }) => items);
  if (entries.length === 0 && !hasNextPage) {
    return (
      <EmptyState title="No changes yet">
        <p>
          Every change is listed here: who made it, when, and what changed. Imports, and changes before the retention
          time of the audit log, aren’t listed.
        </p>
      </EmptyState>
    );
  }
  return (
    <div className={classes.history}>
      <ol aria-label="History">
        {entries.map((entry) => (
          <HistoryEntry key={entry.id} entry={entry} />
        ))}
      </ol>
      {hasNextPage && (
        <Button loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show older changes
        </Button>
      )}
    </div>
  );
}

function HistorySkeleton() {
  return (
    <ol className={classes.history} aria-busy="true">
      {[280, 232, 320].map((width) => (
        <li key={width} className={classes.entry}>
          <Skeleton width={width} />
        </li>
      ))}
    </ol>
  );
}

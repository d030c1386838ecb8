'use client';

import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { formatCount } from '@/lib/format';
import type { CursorHistory } from './cursor-history';
import classes from './pagination.module.css';

export type PaginationProps = {
  page: { items: unknown[]; pagination: { has_more: boolean; next_cursor: string } } | undefined;
  history: CursorHistory;
  labels?: { back: string; forward: string };
};

/** How many rows this page shows, with buttons for the previous and next page. */
export function Pagination({ page, history, labels = { back: 'Previous', forward: 'Next' } }: PaginationProps) {
  if (!page) return null;
  const { has_more: hasMore, next_cursor: nextCursor } = page.pagination;
  return (
    <nav className={classes.pagination} aria-label="Pagination">
      <span aria-live="polite">{summarize(page.items.length, hasMore, history.isFirst)}</span>
      <span className="spacer" />
      <Button
        size="xs"
        disabled={history.isFirst}
        leftSection={<IconChevronLeft stroke={1.5} />}
        onClick={history.back}
      >
        {labels.back}
      </Button>
      <Button
        size="xs"
        disabled={!hasMore || !nextCursor}
        rightSection={<IconChevronRight stroke={1.5} />}
        onClick={() => history.forward(nextCursor)}
      >
        {labels.forward}
      </Button>
    </nav>
  );
}

/** The labels of a list that is ordered by time. */
export function timeLabels(order: 'asc' | 'desc'): PaginationProps['labels'] {
  return order === 'desc' ? { back: 'Newer', forward: 'Older' } : { back: 'Older', forward: 'Newer' };
}

function summarize(shown: number, hasMore: boolean, isFirst: boolean): string {
  if (shown === 0 && hasMore) return 'No matches so far';
  const figure = formatCount(shown);
  if (isFirst) return hasMore ? `Showing the first ${figure}` : `${figure} total`;
  return hasMore ? `Showing ${figure} more` : `Showing the last ${figure}`;
}

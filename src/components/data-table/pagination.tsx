'use client';

import { Button } from '@mantine/core';
import { formatCount, formatPlural } from '@/lib/format';
import { MAX_TOTAL } from '@/lib/lists';
import { IconChevronLeft, IconChevronRight } from '../icons/icons';
import type { CursorHistory } from './cursor-history';
import classes from './pagination.module.css';

export type PaginationProps = {
  page: { items: unknown[]; pagination: { has_more: boolean; next_cursor: string } } | undefined;
  history: CursorHistory;
  /** The rows on all pages, where they are counted. */
  total?: number | null;
  labels?: { back: string; forward: string };
  /** In how many rows the page shows its items, if one stands for several of them. */
  groupedRows?: number;
};

/** Which rows this page shows, with buttons for the previous and next page. */
export function Pagination(props: PaginationProps) {
  const { page, history, total, labels = { back: 'Previous', forward: 'Next' }, groupedRows } = props;
  if (!page) return null;
  const { has_more: hasMore, next_cursor: nextCursor } = page.pagination;
  return (
    <nav className={classes.pagination} aria-label="Pagination">
      <span aria-live="polite">
        {summarize(page.items.length, hasMore, history, total)}
        {groupedRows !== undefined && `, in ${formatPlural(groupedRows, 'row')}`}
      </span>
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
        onClick={() => history.forward(nextCursor, page.items.length)}
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

/** For example "51–100 of 1,404". */
function summarize(shown: number, hasMore: boolean, { from }: CursorHistory, counted?: number | null): string {
  if (shown === 0 && hasMore) return 'No matches so far';
  if (shown === 0) return 'No more rows';
  const to = from && from + shown - 1;
  const range = to ? `${formatCount(from)}–${formatCount(to)}` : formatPlural(shown, 'row');
  if (to && !hasMore) return `${range} of ${formatCount(to)}`;
  if (typeof counted !== 'number') return range;
  if (counted >= MAX_TOTAL) return `${range} of ${formatCount(MAX_TOTAL)}+`;
  return `${range} of ${formatCount(Math.max(counted, to ?? shown))}`;
}

'use client';

import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { formatCount } from '@/lib/format';
import type { CursorHistory } from './cursor-history';

type PaginationProps = {
  page: { items: unknown[]; pagination: { has_more: boolean; next_cursor: string } } | undefined;
  history: CursorHistory;
  labels?: { back: string; forward: string };
};

/** The foot of a list: how much of it this page shows, and the way to its other pages. */
export function Pagination({ page, history, labels = { back: 'Previous', forward: 'Next' } }: PaginationProps) {
  if (!page) return null;
  const { has_more: hasMore, next_cursor: nextCursor } = page.pagination;
  return (
    <nav className="pagination" aria-label="Pages of this list">
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

function summarize(shown: number, hasMore: boolean, isFirst: boolean): string {
  const figure = formatCount(shown);
  if (isFirst) return hasMore ? `First ${figure} shown, more follow` : `${figure} in all`;
  return hasMore ? `${figure} shown, more follow` : `Last ${figure} shown`;
}

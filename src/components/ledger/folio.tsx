'use client';

import { Button } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import { formatCount } from '@/lib/format';
import type { CursorTrail } from './cursor-trail';

type FolioProps = {
  page: { items: unknown[]; pagination: { has_more: boolean; next_cursor: string } } | undefined;
  trail: CursorTrail;
  words?: { back: string; forward: string };
};

/** The foot of a list: how much of it this page shows, and the way to its other pages. */
export function Folio({ page, trail, words = { back: 'Previous', forward: 'Next' } }: FolioProps) {
  if (!page) return null;
  const { has_more: hasMore, next_cursor: nextCursor } = page.pagination;
  return (
    <nav className="folio" aria-label="Pages of this list">
      <span aria-live="polite">{sentence(page.items.length, hasMore, trail.isFirst)}</span>
      <span className="push" />
      <Button size="xs" disabled={trail.isFirst} leftSection={<IconChevronLeft stroke={1.5} />} onClick={trail.back}>
        {words.back}
      </Button>
      <Button
        size="xs"
        disabled={!hasMore || !nextCursor}
        rightSection={<IconChevronRight stroke={1.5} />}
        onClick={() => trail.forward(nextCursor)}
      >
        {words.forward}
      </Button>
    </nav>
  );
}

function sentence(shown: number, hasMore: boolean, isFirst: boolean): string {
  const figure = formatCount(shown);
  if (isFirst) return hasMore ? `First ${figure} shown, more follow` : `${figure} in all`;
  return hasMore ? `${figure} shown, more follow` : `Last ${figure} shown`;
}

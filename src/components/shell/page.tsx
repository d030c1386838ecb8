'use client';

import { useMediaQuery } from '@mantine/hooks';
import { Component, type ReactNode } from 'react';
import classes from './page.module.css';

type PageProps = { children: ReactNode; peek?: ReactNode };

export function Page({ children, peek }: PageProps) {
  const isNarrow = useMediaQuery('(max-width: 900px)') ?? false;
  return (
    <>
      {/* The style sheet reserves the space, because a streamed page has its main long before its peek. */}
      <main id="main" className={classes.page} data-peek={Boolean(peek) || undefined} inert={isNarrow && Boolean(peek)}>
        <KeepRowInPlace isNarrower={Boolean(peek)}>{children}</KeepRowInPlace>
      </main>
      {peek}
    </>
  );
}

type KeepRowInPlaceProps = { isNarrower: boolean; children: ReactNode };

const OPEN_ROW = 'main tr[aria-current]';

/**
 * Scrolls so that the selected row stays where it was clicked: beside a panel, what is above the table wraps and moves its
 * rows. A class, because only a class sees the rows as they were before.
 */
class KeepRowInPlace extends Component<KeepRowInPlaceProps> {
  override getSnapshotBeforeUpdate({ isNarrower }: KeepRowInPlaceProps): Map<Element, number> | null {
    if (isNarrower === this.props.isNarrower) return null;
    const rows = document.querySelectorAll(isNarrower ? OPEN_ROW : 'main tbody > tr');
    return new Map(Array.from(rows, (row) => [row, row.getBoundingClientRect().top]));
  }

  override componentDidUpdate(_props: KeepRowInPlaceProps, _state: unknown, tops: Map<Element, number> | null): void {
    if (!tops) return;
    const row = this.props.isNarrower ? document.querySelector(OPEN_ROW) : tops.keys().next().value;
    if (!row?.isConnected) return;
    const { top } = row.getBoundingClientRect();
    window.scrollBy(0, top - (tops.get(row) ?? top));
  }

  override render(): ReactNode {
    return this.props.children;
  }
}

'use client';

import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

type ExpandedRowProps = { columns: { kind?: string; isOptional?: boolean }[]; children: ReactNode };

/** The content of an expanded row, from the margin line to the right edge. */
export function ExpandedRow({ columns, children }: ExpandedRowProps) {
  // A cell that spans more columns than are shown would add columns. Same breakpoint as data-table.module.css.
  const isNarrow = useMediaQuery('(max-width: 1160px)', false, { getInitialValueInEffect: false });
  const hasMark = columns[0]?.kind === 'mark';
  const shown = columns.filter(({ isOptional }) => !(isNarrow && isOptional)).length;
  return (
    <tr className={classes.expandedRow} data-details>
      {hasMark && <td data-kind="mark" data-mobile="none" />}
      <td className={classes.expanded} colSpan={hasMark ? shown - 1 : shown}>
        {children}
      </td>
    </tr>
  );
}

'use client';

import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './data-table.module.css';

type WideRowProps = { columns: { kind?: string; isOptional?: boolean }[]; children: ReactNode };

/** The content of an expanded row, from the margin line to the right edge. */
export function ExpandedRow({ columns, children }: WideRowProps) {
  const shown = useShownCount(columns);
  const hasMark = columns[0]?.kind === 'mark';
  return (
    <tr className={classes.expandedRow} data-details>
      {hasMark && <td data-kind="mark" data-mobile="none" />}
      <td className={classes.expanded} colSpan={hasMark ? shown - 1 : shown}>
        {children}
      </td>
    </tr>
  );
}

/** The head of the rows below it. */
export function GroupRow({ columns, children }: WideRowProps) {
  return (
    <tr className={classes.groupRow} data-details>
      <th scope="rowgroup" colSpan={useShownCount(columns)}>
        {children}
      </th>
    </tr>
  );
}

/** A cell that spans more columns than are shown would add columns. Same breakpoint as data-table.module.css. */
function useShownCount(columns: WideRowProps['columns']): number {
  const isNarrow = useMediaQuery('(max-width: 1160px)', false, { getInitialValueInEffect: false });
  return columns.filter(({ isOptional }) => !(isNarrow && isOptional)).length;
}

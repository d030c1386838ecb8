'use client';

import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';

type OpenedRowProps = { columns: { kind?: string; isSpare?: boolean }[]; children: ReactNode };

/** Below a row that is open in its place, from the margin line to the right edge. */
export function OpenedRow({ columns, children }: OpenedRowProps) {
  // A cell that spans more columns than are shown would make new ones. The width is that of ledger.css.
  const isSparing = useMediaQuery('(max-width: 1160px)', false, { getInitialValueInEffect: false });
  const hasMark = columns[0]?.kind === 'mark';
  const shown = columns.filter(({ isSpare }) => !(isSparing && isSpare)).length;
  return (
    <tr className="opened-row">
      {hasMark && <td data-kind="mark" data-fold="none" />}
      <td className="opened" colSpan={hasMark ? shown - 1 : shown}>
        {children}
      </td>
    </tr>
  );
}

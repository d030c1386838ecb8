'use client';

import { useState } from 'react';
import { toggled } from './toggled';

export type Selection<Row> = {
  /** The selected rows that are shown. */
  rows: Row[];
  isAll: boolean;
  isEmpty: boolean;
  has: (row: Row) => boolean;
  /** Selects a row, or no longer; `isExtended` all rows from the one that was toggled before, too. */
  toggle: (row: Row, isExtended: boolean) => void;
  selectAll: () => void;
  clear: () => void;
};

/** Which rows of a page are selected. Rows that are no longer shown are not. */
export function useSelection<Row>(shown: Row[], keyOf: (row: Row) => string): Selection<Row> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const [last, setLast] = useState<string | null>(null);
  const rows = shown.filter((row) => keys.has(keyOf(row)));
  return {
    rows,
    isAll: shown.length > 0 && rows.length === shown.length,
    isEmpty: shown.length === 0,
    has: (row) => keys.has(keyOf(row)),
    toggle: (row, isExtended) => {
      setKeys(toggled(rows.map(keyOf), keyOf(row), { shown: shown.map(keyOf), last: isExtended ? last : null }));
      setLast(keyOf(row));
    },
    selectAll: () => setKeys(new Set(shown.map(keyOf))),
    clear: () => setKeys(new Set()),
  };
}

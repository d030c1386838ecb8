'use client';

import { useState } from 'react';

export type Selection<Row> = {
  /** The selected rows that are shown. */
  rows: Row[];
  isAll: boolean;
  isEmpty: boolean;
  has: (row: Row) => boolean;
  toggle: (row: Row) => void;
  selectAll: () => void;
  clear: () => void;
};

/** Which rows of a page are selected. Rows that are no longer shown are not. */
export function useSelection<Row>(shown: Row[], keyOf: (row: Row) => string): Selection<Row> {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const rows = shown.filter((row) => keys.has(keyOf(row)));
  return {
    rows,
    isAll: shown.length > 0 && rows.length === shown.length,
    isEmpty: shown.length === 0,
    has: (row) => keys.has(keyOf(row)),
    toggle: (row) => {
      const selected = rows.map(keyOf);
      const key = keyOf(row);
      setKeys(new Set(keys.has(key) ? selected.filter((other) => other !== key) : [...selected, key]));
    },
    selectAll: () => setKeys(new Set(shown.map(keyOf))),
    clear: () => setKeys(new Set()),
  };
}

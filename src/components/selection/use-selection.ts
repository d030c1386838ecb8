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

type Selected = {
  keys: ReadonlySet<string>;
  /** The row that was toggled before. */
  last: string | null;
};

/** Which rows of a page are selected. Rows that are no longer shown are not. */
export function useSelection<Row>(shown: Row[], keyOf: (row: Row) => string): Selection<Row> {
  const [{ keys }, setSelected] = useState<Selected>({ keys: new Set(), last: null });
  const shownKeys = shown.map(keyOf);
  const setKeys = (next: readonly string[]) => setSelected(({ last }) => ({ keys: new Set(next), last }));
  const rows = shown.filter((row) => keys.has(keyOf(row)));
  return {
    rows,
    isAll: shown.length > 0 && rows.length === shown.length,
    isEmpty: shown.length === 0,
    has: (row) => keys.has(keyOf(row)),
    // Computed from what is selected by then: a second click may come before the first is rendered.
    toggle: (row, isExtended) =>
      setSelected((before) => {
        const selected = shownKeys.filter((key) => before.keys.has(key));
        const last = isExtended ? before.last : null;
        return { keys: toggled(selected, keyOf(row), { shown: shownKeys, last }), last: keyOf(row) };
      }),
    selectAll: () => setKeys(shownKeys),
    clear: () => setKeys([]),
  };
}

'use client';

import { useRef, useState } from 'react';

export type Selection<Row> = {
  /** The selected rows that are shown. */
  rows: Row[];
  /** The same for a handler: with what was clicked and isn't rendered yet. */
  rowsNow: () => Row[];
  isAll: boolean;
  isEmpty: boolean;
  has: (row: Row) => boolean;
  /** Selects a row, or no longer; `isExtended` all rows from the one that was toggled before, too. */
  toggle: (row: Row, isExtended: boolean) => void;
  /** Selects all rows, or none if all are selected. */
  toggleAll: () => void;
  clear: () => void;
};

type Selected = {
  keys: ReadonlySet<string>;
  /** The row that was toggled before. */
  last: string | null;
};

const NONE: Selected = { keys: new Set(), last: null };

/** Which rows of a page are selected. Rows that are no longer shown are not. */
export function useSelection<Row>(shown: Row[], keyOf: (row: Row) => string): Selection<Row> {
  const [{ keys }, setSelected] = useState<Selected>(NONE);
  // A click may come before the one before it is rendered, which is not urgent, so handlers read and change this.
  const latest = useRef<Selected>(NONE);
  const select = (next: Selected) => {
    latest.current = next;
    setSelected(next);
  };
  const shownKeys = shown.map(keyOf);
  const keysNow = () => shownKeys.filter((key) => latest.current.keys.has(key));
  const rows = shown.filter((row) => keys.has(keyOf(row)));
  return {
    rows,
    rowsNow: () => shown.filter((row) => latest.current.keys.has(keyOf(row))),
    isAll: shown.length > 0 && rows.length === shown.length,
    isEmpty: shown.length === 0,
    has: (row) => keys.has(keyOf(row)),
    toggle: (row, isExtended) => {
      const last = isExtended ? latest.current.last : null;
      select({ keys: toggled(keysNow(), keyOf(row), { shown: shownKeys, last }), last: keyOf(row) });
    },
    toggleAll: () => {
      const isAll = keysNow().length === shownKeys.length;
      select({ keys: new Set(isAll ? [] : shownKeys), last: latest.current.last });
    },
    clear: () => select({ keys: NONE.keys, last: latest.current.last }),
  };
}

type Place = {
  /** All rows, in their order. */
  shown: readonly string[];
  /** The row that was toggled before, if all rows from there to this one are to be as this one. */
  last: string | null;
};

/** The selected rows after one of them is toggled. */
export function toggled(selected: readonly string[], key: string, { shown, last }: Place): Set<string> {
  const [from, to] = [last === null ? -1 : shown.indexOf(last), shown.indexOf(key)].sort((one, other) => one - other);
  const range = from === undefined || from < 0 ? [key] : shown.slice(from, (to ?? from) + 1);
  if (!selected.includes(key)) return new Set([...selected, ...range]);
  return new Set(selected.filter((other) => !range.includes(other)));
}

'use client';

import { type RefObject, useEffect, useRef } from 'react';

/** The row whose panel or details are open: not one that is selected, nor one with a note that can't be closed. */
const OPEN =
  'tr[aria-current]:not(:has(input:checked)), tr[data-open]:has([aria-expanded="true"]:not([aria-haspopup]))';

/** The control that opens a row. The menu of its actions also has aria-expanded. */
const OPENER = '[data-row], [aria-expanded]:not([aria-haspopup])';

/** When the panel or the details of a row close and the focus was in them or in another row, it returns to the row. */
export function useFocusReturn(table: RefObject<HTMLTableElement | null>): void {
  const last = useRef<Element | null>(null);
  useEffect(() => {
    const closed = last.current;
    last.current = table.current?.querySelector(OPEN) ?? null;
    if (closed === null || last.current !== null) return;
    const { activeElement: focused, body } = document;
    const isInOtherRow = table.current?.contains(focused) && !closed.contains(focused);
    if (focused === body || isInOtherRow) closed.querySelector<HTMLElement>(OPENER)?.focus();
  });
}

const CONTROL = 'a[href], button:not(:disabled)';

/** Moves the focus by a number of rows in the lists of the page, to the first link or button of the row. */
export function focusRow(by: 1 | -1): void {
  const rows = [...document.querySelectorAll<HTMLElement>('main tbody tr')].filter((row) => controlOf(row));
  const current = rows.findIndex((row) => row.contains(document.activeElement));
  const next = current === -1 && by === -1 ? rows.length - 1 : current + by;
  const control = controlOf(rows[next]);
  control?.focus();
  control?.scrollIntoView({ block: 'nearest' });
}

function controlOf(row: HTMLElement | undefined): HTMLElement | null | undefined {
  return row?.querySelector<HTMLElement>('td a[href]') ?? row?.querySelector<HTMLElement>(CONTROL);
}

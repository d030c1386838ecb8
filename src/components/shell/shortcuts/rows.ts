/** What opens a row, the best first. The menu of its actions also has aria-expanded. */
const OPENERS = [
  '[data-row]',
  'td a[href]',
  'button[aria-expanded]:not([aria-haspopup])',
  'button:not(:disabled, [data-copy])',
];

const ROWS = 'main tbody tr:not([data-details], [data-details] *)';

/** Moves by a row in the lists of the page: opens the next one in the peek, or without a peek moves the focus to it. */
export function moveRow(by: 1 | -1): void {
  const peek = document.querySelector<HTMLElement>('[data-peek-panel]');
  const rows = [...document.querySelectorAll<HTMLElement>(ROWS)].filter((row) => openerOf(row));
  const current = rows.findIndex((row) => (peek ? row.ariaCurrent === 'true' : row === focusedRow()));
  const next = rows[current === -1 && by === -1 ? rows.length - 1 : current + by];
  const opener = next && openerOf(next);
  if (!opener) return;
  if (peek) {
    opener.click();
    if (!peek.contains(document.activeElement)) peek.focus();
  } else opener.focus();
  opener.scrollIntoView({ block: 'nearest' });
}

/** The row that has the focus, in its cells or in the details below it. */
function focusedRow(): Element | null | undefined {
  const active = document.activeElement;
  return active?.closest('[data-details]')?.previousElementSibling ?? active?.closest('tr');
}

function openerOf(row: HTMLElement): HTMLElement | null {
  for (const selector of OPENERS) {
    const opener = row.querySelector<HTMLElement>(selector);
    if (opener) return opener;
  }
  return null;
}

'use client';

import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import type { Role } from '@/lib/access/roles';
import { routesFor } from '@/lib/routes';
import { confirmLeave } from '../../dialogs/navigation-guard';
import { palette } from '../palette/palette-store';
import { withDomain } from '../with-domain';
import { isTaken } from './is-taken';

const JUMP_WITHIN_MS = 1_500;

/**
 * Single keys, which an admin can turn off: "/" searches, "j" and "k" move in a list, "c" finds what can be copied, "g" and
 * another one open a page.
 */
export function useShortcuts(role: Role | undefined) {
  const router = useRouter();
  const [opened, help] = useDisclosure(false);
  const [isOn, setIsOn] = useLocalStorage({ key: 'postroom-shortcuts', defaultValue: true });

  useEffect(() => {
    if (!isOn) return;
    let jumpUntil = 0;
    const actions: Record<string, () => void> = {
      '/': search,
      '?': help.open,
      j: () => moveRow(1),
      k: () => moveRow(-1),
      c: focusCopyButton,
      g: () => {
        jumpUntil = performance.now() + JUMP_WITHIN_MS;
      },
    };
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTaken(event.target)) return;
      const isJump = performance.now() < jumpUntil;
      jumpUntil = 0;
      const route = isJump ? routesFor(role).find(({ jump }) => jump === event.key) : undefined;
      const action = route ? () => confirmLeave(() => router.push(withDomain(route.href))) : actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [role, isOn, router, help.open]);

  return { opened, onOpen: help.open, onClose: help.close, isOn, onChange: setIsOn };
}

function search(): void {
  const input = document.querySelector<HTMLInputElement>('main input[data-search]');
  if (input) input.select();
  else palette.open();
}

/** Moves the focus to the next button that copies something, and after the last one to the first. */
function focusCopyButton(): void {
  const all = document.querySelectorAll<HTMLElement>('main [data-copy], aside[tabindex="-1"] [data-copy]');
  const buttons = [...all].filter((button) => button.checkVisibility());
  const next = buttons.find((button) => isAfter(button, document.activeElement)) ?? buttons[0];
  next?.focus();
}

function isAfter(button: HTMLElement, active: Element | null): boolean {
  if (active === null || active === button) return false;
  return (active.compareDocumentPosition(button) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
}

/** Selectors of the elements that open a row, the best first. The menu of its actions also has aria-expanded. */
const OPENERS = [
  '[data-row]',
  'td a[href]',
  'button[aria-expanded]:not([aria-haspopup])',
  'button:not(:disabled, [data-copy])',
];

const ROWS = 'main tbody tr:not([data-details], [data-details] *)';

/** Moves by a row in the lists of the page: opens the next one in the peek, or without a peek moves the focus to it. */
function moveRow(by: 1 | -1): void {
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

'use client';

import { useDisclosure, useLocalStorage } from '@mantine/hooks';
import { useRouter } from 'next/navigation';
import { useEffect } from 'react';
import type { Role } from '@/lib/roles';
import { routesFor } from '@/lib/routes';
import { confirmLeave } from '../../dialogs/navigation-guard';
import { palette } from '../palette/palette-store';
import { withDomain } from '../with-domain';
import { focusCopyButton } from './copy-buttons';
import { isTaken } from './is-taken';
import { moveRow } from './rows';

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

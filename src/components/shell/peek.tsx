'use client';

import { ActionIcon } from '@mantine/core';
import { useHotkeys } from '@mantine/hooks';
import { type ReactNode, useEffect, useRef } from 'react';
import { IconX } from '../icons/icons';
import classes from './peek.module.css';
import { isTaken } from './shortcuts/is-taken';

type PeekProps = { label: string; title: ReactNode; buttons?: ReactNode; children: ReactNode; onClose: () => void };

/** The selected row beside its table. Takes the focus; Escape closes it. */
export function Peek({ label, title, buttons, children, onClose }: PeekProps) {
  const panel = useRef<HTMLElement>(null);
  useEffect(() => panel.current?.focus(), []);
  useHotkeys([['Escape', ({ target }) => !isTaken(target) && onClose(), { preventDefault: false }]]);

  return (
    <aside ref={panel} className={classes.peek} tabIndex={-1} data-peek-panel aria-label={label}>
      <div className={classes.bar}>
        {title}
        <span className="spacer" />
        {buttons}
        <ActionIcon aria-label="Close" title="Close" onClick={onClose}>
          <IconX size={16} stroke={1.5} />
        </ActionIcon>
      </div>
      <div className={classes.body}>{children}</div>
    </aside>
  );
}

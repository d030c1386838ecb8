'use client';

import { Button } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import { createPortal } from 'react-dom';
import { toolsOfPage } from '../list/use-tools-height';
import classes from './selection.module.css';
import type { Selection } from './use-selection';

type SelectionBarProps = {
  selection: Pick<Selection<unknown>, 'rows' | 'clear'>;
  /** The noun for the selected rows, such as "aliases". */
  what: string;
  /** The buttons that change what is selected. */
  children: ReactNode;
};

/** Takes the place of the filters above a list while rows are selected, so that nothing moves. */
export function SelectionBar({ selection: { rows, clear }, what, children }: SelectionBarProps) {
  const [tools, setTools] = useState<Element | null>(null);
  useEffect(() => setTools(toolsOfPage()), []);
  if (rows.length === 0 || !tools) return null;
  return createPortal(
    // biome-ignore lint/a11y/useSemanticElements: a fieldset adds a border and needs a legend.
    <div className={classes.bar} data-selection-bar role="group" aria-label={`Selected ${what}`}>
      <div className={classes.actions}>
        <b>{rows.length} selected</b>
        {children}
        <Button size="xs" variant="subtle" color="gray" className="spacer" onClick={clear}>
          Clear
        </Button>
      </div>
    </div>,
    tools,
  );
}

import { Button, Checkbox } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './selection.module.css';
import type { Selection } from './use-selection';

type SelectionBarProps = {
  selection: Pick<Selection<unknown>, 'rows' | 'isAll' | 'selectAll' | 'clear'>;
  /** What is selected, such as "aliases". */
  what: string;
  /** The buttons that change what is selected. */
  children: ReactNode;
};

/** Takes the place of a table's header while rows are selected. */
export function SelectionBar({ selection: { rows, isAll, selectAll, clear }, what, children }: SelectionBarProps) {
  if (rows.length === 0) return null;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset adds a border and needs a legend.
    <div className={classes.bar} role="group" aria-label={`Selected ${what}`}>
      <span className={classes.all}>
        <Checkbox
          aria-label="Select all on this page"
          checked={isAll}
          indeterminate={!isAll}
          onChange={isAll ? clear : selectAll}
        />
      </span>
      <div className={classes.actions}>
        <b>{rows.length} selected</b>
        {children}
        <Button size="xs" variant="subtle" color="gray" className="spacer" onClick={clear}>
          Clear
        </Button>
      </div>
    </div>
  );
}

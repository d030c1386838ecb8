import { Button, Checkbox } from '@mantine/core';
import classes from './selection-bar.module.css';

type SelectionBarProps = {
  count: number;
  isAll: boolean;
  onSelectAll: () => void;
  onClear: () => void;
  onSetActive: (active: boolean) => void;
  onDelete: () => void;
};

export function SelectionBar({ count, isAll, onSelectAll, onClear, onSetActive, onDelete }: SelectionBarProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset adds a border and needs a legend.
    <div className={classes.bar} role="group" aria-label="Selected aliases">
      <span className={classes.all}>
        <Checkbox
          aria-label="Select all on this page"
          checked={isAll}
          indeterminate={!isAll}
          onChange={isAll ? onClear : onSelectAll}
        />
      </span>
      <div className={classes.actions}>
        <b>{count} selected</b>
        <Button size="xs" onClick={() => onSetActive(false)}>
          Deactivate
        </Button>
        <Button size="xs" onClick={() => onSetActive(true)}>
          Activate
        </Button>
        <Button size="xs" className="danger" onClick={onDelete}>
          Delete
        </Button>
        <Button size="xs" variant="subtle" color="gray" className="spacer" onClick={onClear}>
          Clear
        </Button>
      </div>
    </div>
  );
}

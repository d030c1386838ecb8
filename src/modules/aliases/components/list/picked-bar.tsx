import { Button, Checkbox } from '@mantine/core';

type PickedBarProps = {
  count: number;
  isAll: boolean;
  onAll: () => void;
  onClear: () => void;
  onSwitch: (active: boolean) => void;
  onDelete: () => void;
};

export function PickedBar({ count, isAll, onAll, onClear, onSwitch, onDelete }: PickedBarProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a border and a legend of its own.
    <div className="selection-bar" role="group" aria-label="Selected aliases">
      <span className="selection-all">
        <Checkbox
          aria-label="Select all on this page"
          checked={isAll}
          indeterminate={!isAll}
          onChange={isAll ? onClear : onAll}
        />
      </span>
      <div className="selection-actions">
        <b>{count} selected</b>
        <Button size="xs" onClick={() => onSwitch(false)}>
          Switch off
        </Button>
        <Button size="xs" onClick={() => onSwitch(true)}>
          Switch on
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

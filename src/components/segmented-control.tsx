'use client';

import { SegmentedControl as MantineSegmentedControl } from '@mantine/core';
import classes from './segmented-control.module.css';

type SegmentedControlProps<Value extends string> = {
  label: string;
  value: Value;
  /** The values that can be chosen now, in their order. */
  options: Partial<Record<Value, string>>;
  onChange: (value: Value) => void;
  /** On a narrow screen: one line of the full width, or two columns. */
  narrow?: 'line' | 'columns';
};

export function SegmentedControl<Value extends string>({
  label,
  value,
  options,
  onChange,
  narrow,
}: SegmentedControlProps<Value>) {
  return (
    <MantineSegmentedControl<Value>
      aria-label={label}
      classNames={classes}
      data={(Object.keys(options) as Value[]).map((key) => ({ value: key, label: options[key] ?? '' }))}
      data-narrow={narrow}
      withItemsBorders={false}
      value={value}
      onChange={onChange}
    />
  );
}

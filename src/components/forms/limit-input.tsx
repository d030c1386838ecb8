'use client';

import { NumberInput, type NumberInputProps } from '@mantine/core';

import { pasteWholeNumber } from './paste-whole-number';

const NUMBER = { allowDecimal: false, allowNegative: false, thousandSeparator: ',', hideControls: true } as const;

export type LimitInputProps = Omit<NumberInputProps, 'value' | 'onChange'> & {
  value?: number | null;
  onChange: (value: number | null) => void;
};

/** A whole number. Empty is null, the default or no limit, which the placeholder says. */
export function LimitInput({ value = null, onChange, ...props }: LimitInputProps) {
  return (
    <NumberInput
      {...NUMBER}
      clampBehavior="none"
      onPasteCapture={pasteWholeNumber}
      value={value ?? ''}
      // A number with too many digits to be exact is passed as text.
      onChange={(next) => onChange(next === '' ? null : Number(next))}
      {...props}
    />
  );
}

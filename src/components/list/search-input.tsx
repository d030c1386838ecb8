'use client';

import { TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '../icons/icons';

type SearchInputProps = Pick<TextInputProps, 'className' | 'flex' | 'miw' | 'placeholder' | 'w'> & {
  label: string;
  value: string;
  onChange: (value: string | null) => void;
};

export function SearchInput({ label, onChange, className = 'grow-small', ...props }: SearchInputProps) {
  return (
    <TextInput
      aria-label={label}
      data-search
      leftSection={<IconSearch size={16} stroke={1.5} />}
      className={className}
      onChange={(event) => onChange(event.currentTarget.value || null)}
      {...props}
    />
  );
}

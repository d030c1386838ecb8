'use client';

import { TextInput, type TextInputProps } from '@mantine/core';
import { IconSearch } from '../icons/icons';

type SearchInputProps = Pick<TextInputProps, 'className' | 'flex' | 'miw' | 'placeholder' | 'w'> & {
  search: { values: { q: string }; change: (changes: { q: string | null }) => void };
  label: string;
};

/** The text that a list is searched for. */
export function SearchInput({ search, label, className = 'grow-small', w = 240, ...props }: SearchInputProps) {
  return (
    <TextInput
      aria-label={label}
      data-search
      leftSection={<IconSearch size={16} stroke={1.5} />}
      className={className}
      w={w}
      value={search.values.q}
      onChange={(event) => search.change({ q: event.currentTarget.value || null })}
      {...props}
    />
  );
}

'use client';

import { TextInput, type TextInputProps } from '@mantine/core';
import { startTransition, useOptimistic } from 'react';
import { IconSearch } from '../icons/icons';

type SearchInputProps = Pick<TextInputProps, 'className' | 'flex' | 'miw' | 'placeholder' | 'w'> & {
  search: { values: { q: string }; change: (changes: { q: string | null }) => void };
  label: string;
};

/** The text that a list is searched for. */
export function SearchInput({ search, label, className = 'grow-small', w = 240, ...props }: SearchInputProps) {
  // The list follows once it has been rendered, which takes longer than a key may.
  const [shown, show] = useOptimistic(search.values.q);
  const type = (q: string) =>
    startTransition(() => {
      show(q);
      search.change({ q: q || null });
    });
  return (
    <TextInput
      aria-label={label}
      data-search
      leftSection={<IconSearch size={16} stroke={1.5} />}
      className={className}
      w={w}
      value={shown}
      onChange={(event) => type(event.currentTarget.value)}
      {...props}
    />
  );
}

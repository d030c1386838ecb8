'use client';

import { TextInput, type TextInputProps } from '@mantine/core';
import { startTransition, useEffect, useEffectEvent, useOptimistic, useRef } from 'react';
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
  const input = useRef<HTMLInputElement>(null);
  // React would empty what was typed before the scripts of the page ran.
  const takeEarly = useEffectEvent(() => {
    const text = input.current?.value;
    if (text && text !== shown) type(text);
  });
  useEffect(() => takeEarly(), []);
  return (
    <TextInput
      ref={input}
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

'use client';

import { TextInput, type TextInputProps } from '@mantine/core';
import { useState } from 'react';

type EnteredInputProps = Omit<TextInputProps, 'value' | 'onChange'> & {
  value: string;
  onEnter: (value: string) => void;
};

/** A field, such as of a day or a time, that takes what was entered when Enter is pressed or the field is left. */
export function EnteredInput({ value, onEnter, ...props }: EnteredInputProps) {
  // Kept apart from the value, which may change meanwhile, such as when the URL's parameters arrive later than the next key.
  const [entered, setEntered] = useState<string | null>(null);
  function enter(): void {
    setEntered(null);
    if (entered !== null && entered !== value) onEnter(entered);
  }
  return (
    <TextInput
      {...props}
      value={entered ?? value}
      onChange={(event) => setEntered(event.currentTarget.value)}
      onBlur={enter}
      onKeyDown={(event) => {
        if (event.key === 'Enter') enter();
      }}
    />
  );
}

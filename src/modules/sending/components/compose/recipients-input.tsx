'use client';

import { TagsInput } from '@mantine/core';

type RecipientsInputProps = {
  label: string;
  placeholder?: string;
  value: string[];
  error?: React.ReactNode;
  onChange: (value: string[]) => void;
};

export function RecipientsInput({ label, placeholder, value, error, onChange }: RecipientsInputProps) {
  return (
    <TagsInput
      label={label}
      placeholder={value.length === 0 ? placeholder : undefined}
      splitChars={[';', '\n', '\t']}
      acceptValueOnBlur
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      type="text"
      inputMode="email"
      value={value}
      onChange={(next) => onChange(next.flatMap(splitAddresses))}
      error={error}
    />
  );
}

// A comma or semicolon followed by an even number of quotes separates addresses; otherwise it is part of a name.
const OUTSIDE_QUOTES = /[,;](?=(?:[^"]*"[^"]*")*[^"]*$)/;

function splitAddresses(text: string): string[] {
  const parts = text.includes('<') ? text.split(OUTSIDE_QUOTES) : text.split(/[\s,;]+/);
  return parts.map((part) => part.trim()).filter(Boolean);
}

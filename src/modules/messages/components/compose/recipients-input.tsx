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
      className="pills"
      placeholder={value.length === 0 ? placeholder : undefined}
      splitChars={[',', ';', '\n', '\t']}
      acceptValueOnBlur
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      type="text"
      inputMode="email"
      value={value}
      onChange={(next) => onChange(next.flatMap(splitPlain))}
      error={error}
    />
  );
}

function splitPlain(text: string): string[] {
  return text.includes('<') || text.includes('"') ? [text.trim()] : text.trim().split(/\s+/);
}

'use client';

import { TagsInput } from '@mantine/core';

type RecipientsInputProps = {
  label: string;
  description?: string;
  value: string[];
  error?: React.ReactNode;
  onChange: (value: string[]) => void;
};

export function RecipientsInput({ label, description, value, error, onChange }: RecipientsInputProps) {
  return (
    <TagsInput
      label={label}
      description={description}
      className="pills"
      placeholder={value.length === 0 ? 'ann@example.com' : undefined}
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

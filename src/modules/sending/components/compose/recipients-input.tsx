'use client';

import { AddressesInput } from '@/components/directory/addresses-input';
import type { Address } from '../../fields/addresses';
import { formatRecipient, parseRecipient } from './compose-values';

type RecipientsInputProps = {
  label: string;
  placeholder?: string;
  value: Address[];
  error?: React.ReactNode;
  onChange: (value: Address[]) => void;
};

const SEPARATORS = [';', '\n', '\t'];

export function RecipientsInput({ label, placeholder, value, error, onChange }: RecipientsInputProps) {
  return (
    <AddressesInput
      label={label}
      placeholder={value.length === 0 ? placeholder : undefined}
      splitChars={SEPARATORS}
      value={value.map(formatRecipient)}
      error={error}
      onChange={(next) => onChange(next.flatMap(splitAddresses).map(parseRecipient))}
    />
  );
}

// A comma or semicolon followed by an even number of quotes separates addresses; otherwise it is part of a name.
const OUTSIDE_QUOTES = /[,;](?=(?:[^"]*"[^"]*")*[^"]*$)/;

function splitAddresses(text: string): string[] {
  const parts = text.includes('<') ? text.split(OUTSIDE_QUOTES) : text.split(/[\s,;]+/);
  return parts.map((part) => part.trim()).filter(Boolean);
}

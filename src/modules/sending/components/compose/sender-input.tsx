'use client';

import type { ReactNode } from 'react';
import { AddressFields } from '@/components/directory/address-fields';

type Sender = { email: string };

type SenderInputProps = { value: Sender; error?: ReactNode; onChange: (value: Sender) => void };

export function SenderInput({ value, error, onChange }: SenderInputProps) {
  const at = value.email.lastIndexOf('@');
  const local = value.email.slice(0, Math.max(at, 0));
  const domain = value.email.slice(at + 1);
  return (
    <AddressFields
      label="From"
      groupLabel="Sender"
      local={{
        value: local,
        error,
        onChange: (next) => onChange({ email: `${next}@${domain}` }),
      }}
      domain={{
        by: 'name',
        isActive: true,
        value: domain,
        onChange: (next) => onChange({ email: `${local}@${next}` }),
      }}
    />
  );
}

'use client';

import type { ChangeEvent, ReactNode } from 'react';
import { AddressFields } from '@/components/directory/address-fields';

type Sender = { email: string };

type SenderInputProps = { value: Sender; domains: string[]; error?: ReactNode; onChange: (value: Sender) => void };

export function SenderInput({ value, domains, error, onChange }: SenderInputProps) {
  const at = value.email.lastIndexOf('@');
  const local = value.email.slice(0, Math.max(at, 0));
  const domain = value.email.slice(at + 1);
  return (
    <AddressFields
      label="From"
      groupLabel="Sender"
      domains={domains.map((name) => ({ id: name, name }))}
      local={{
        value: local,
        error,
        onChange: (event: ChangeEvent<HTMLInputElement>) =>
          onChange({ email: `${event.currentTarget.value}@${domain}` }),
      }}
      domain={{ value: domain, onChange: (next: string) => onChange({ email: `${local}@${next}` }) }}
    />
  );
}

'use client';

import { useState } from 'react';
import { trpc } from '../api/trpc';
import type { Choice } from './choices';
import { Picker, type PickerFieldProps } from './picker';
import { useMailboxChoices } from './use-choices';
import { usePickerSearch } from './use-picker-search';

type MailboxPickerProps = Partial<PickerFieldProps> & {
  value?: string | null;
  /** The property of the mailbox that is the value. */
  by?: 'id' | 'email';
  /** Only mailboxes of this domain. */
  domainId?: string;
  /** Whether inactive mailboxes are left out. */
  isActive?: boolean;
  clearLabel?: string;
  onChange?: (value: string | null) => void;
};

/** One of the mailboxes that the admin has access to. */
export function MailboxPicker(props: MailboxPickerProps) {
  const { value = null, by = 'id', domainId, isActive = false, onChange, ...field } = props;
  const search = usePickerSearch();
  const found = useMailboxChoices(search, { domainId, active: isActive || undefined, by });
  const [picked, setPicked] = useState<Choice | null>(null);
  const known = by === 'email' ? (value ?? undefined) : picked?.value === value ? picked?.label : undefined;
  const saved = trpc.mailboxes.get.useQuery({ id: value ?? '' }, { enabled: Boolean(value) && known === undefined });
  return (
    <Picker
      placeholder="Search by address"
      {...field}
      label={field.label ?? 'Mailbox'}
      search={search}
      found={found}
      chosen={value ? { value, label: known ?? saved.data?.email ?? '' } : null}
      onChoose={(choice) => {
        setPicked(choice);
        onChange?.(choice?.value ?? null);
      }}
    />
  );
}

'use client';

import { useState } from 'react';
import type { Choice } from './choices';
import { Picker, type PickerFieldProps } from './picker';
import { useDomainChoices } from './use-choices';
import { useDomainNames } from './use-domain-names';
import { usePickerSearch } from './use-picker-search';

const ALL = 'all';

export type DomainChoice = { id: string; name: string };

export type DomainPickerProps = Partial<PickerFieldProps> & {
  value?: string | null;
  /** The property of the domain that is the value. */
  by?: 'id' | 'name';
  /** Whether inactive domains are left out. */
  isActive?: boolean;
  /** A domain whose name needn't be asked for, such as the preselected one. */
  known?: DomainChoice;
  /** The label of an option that chooses no domain. */
  allLabel?: string;
  onChange?: (value: string | null, domain: DomainChoice | null) => void;
};

/** One of the domains that the admin has access to. */
export function DomainPicker(props: DomainPickerProps) {
  const { value = null, by = 'id', isActive = false, known, allLabel, onChange, ...field } = props;
  const search = usePickerSearch({ clean: domainIn });
  const found = useDomainChoices(search, { active: isActive || undefined, by });
  const [picked, setPicked] = useState<Choice | null>(null);
  const nameOfChoice = picked?.value === value ? picked?.label : known?.id === value ? known?.name : undefined;
  const name = by === 'name' ? (value ?? undefined) : nameOfChoice;
  const names = useDomainNames(value && name === undefined ? [value] : []);
  const all = allLabel === undefined ? undefined : { value: ALL, label: allLabel };
  return (
    <Picker
      placeholder="Choose"
      {...field}
      label={field.label ?? 'Domain'}
      search={search}
      found={found}
      first={all}
      chosen={value ? { value, label: name ?? names.get(value) ?? '' } : (all ?? null)}
      onChoose={(choice) => {
        const domain = choice && choice.value !== ALL ? choice : null;
        setPicked(domain);
        onChange?.(domain?.value ?? null, domain && { id: domain.value, name: domain.label });
      }}
    />
  );
}

/** People paste addresses, too. */
export function domainIn(text: string): string {
  return text.slice(text.lastIndexOf('@') + 1).trim();
}

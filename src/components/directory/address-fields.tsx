'use client';

import { Select, TextInput } from '@mantine/core';

type AddressFieldsProps = {
  label: string;
  domains: { id: string; name: string }[];
  local: object;
  domain: object;
  isCatchAll?: boolean;
};

export function AddressFields({ label, domains, local, domain, isCatchAll = false }: AddressFieldsProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be a grid in every browser.
    <div className="joined mono-input" role="group" aria-label={label}>
      <TextInput
        label={label}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        maxLength={64}
        data-autofocus
        {...local}
        {...(isCatchAll && { disabled: true, value: '', placeholder: 'all other addresses' })}
      />
      <span className="at" aria-hidden="true">
        @
      </span>
      <Select
        label="Domain"
        placeholder="Choose"
        data={domains.map(({ id, name }) => ({ value: id, label: name }))}
        searchable={domains.length > 8}
        allowDeselect={false}
        nothingFoundMessage="No matching domain"
        {...domain}
      />
    </div>
  );
}

'use client';

import { TextInput } from '@mantine/core';
import { DomainPicker, type DomainPickerProps } from '../pickers/domain-picker';
import classes from './address-fields.module.css';

type AddressFieldsProps = {
  label: string;
  /** The name of both fields together, if it isn't the label. */
  groupLabel?: string;
  local: object;
  domain: DomainPickerProps;
  isCatchAll?: boolean;
};

export function AddressFields(props: AddressFieldsProps) {
  const { label, groupLabel = label, local, domain, isCatchAll = false } = props;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset can't be a grid in every browser.
    <div className={`${classes.fields} mono-input`} role="group" aria-label={groupLabel}>
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
      <span className={classes.at} aria-hidden="true">
        @
      </span>
      <DomainPicker {...domain} />
    </div>
  );
}

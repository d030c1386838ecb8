'use client';

import { TextInput } from '@mantine/core';
import type { ClipboardEvent, ReactNode } from 'react';
import { parseAddress } from '@/lib/mail/address';
import { trpc } from '../api/trpc';
import { DomainPicker, type DomainPickerProps } from '../pickers/domain-picker';
import classes from './address-fields.module.css';

/** Domains whose names contain the one that is looked for. */
const MAX_SIMILAR = 50;

type AddressFieldsProps = {
  label: string;
  /** The name of both fields together, if it isn't the label. */
  groupLabel?: string;
  local: { value?: string; error?: ReactNode; onChange?: (value: string) => void };
  domain: DomainPickerProps;
  isCatchAll?: boolean;
};

export function AddressFields(props: AddressFieldsProps) {
  const { label, groupLabel = label, local, domain, isCatchAll = false } = props;
  const utils = trpc.useUtils();

  /** Splits a whole address if the caller has access to its domain. */
  async function paste(event: ClipboardEvent): Promise<void> {
    const text = event.clipboardData.getData('text').trim();
    const address = parseAddress(text);
    if (!address) return;
    event.preventDefault();
    const filter = { q: address.domain, active: domain.isActive || undefined, limit: MAX_SIMILAR };
    // Without an answer, the text is taken as it is.
    const { items } = await utils.domains.list.fetch(filter).catch(() => ({ items: [] }));
    const found = items.find(({ name }) => name === address.domain);
    local.onChange?.(found ? address.local : text);
    if (found) domain.onChange?.(domain.by === 'name' ? found.name : found.id, found);
  }

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
        onChange={(event) => local.onChange?.(event.currentTarget.value)}
        onPaste={(event) => void paste(event)}
        {...(isCatchAll && { disabled: true, value: '', placeholder: 'all other addresses' })}
      />
      <span className={classes.at} aria-hidden="true">
        @
      </span>
      <DomainPicker {...domain} />
    </div>
  );
}

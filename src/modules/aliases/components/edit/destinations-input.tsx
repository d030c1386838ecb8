'use client';

import type { ReactNode } from 'react';
import { AddressesInput } from '@/components/directory/addresses-input';
import { isInvalid, MAX_DESTINATIONS, mergeAddresses, splitAddresses } from './alias-values';
import classes from './destinations-input.module.css';

type DestinationsInputProps = {
  value: string[];
  error?: ReactNode;
  /** The address that the server rejected. */
  rejectedAddress: string | null;
  onChange: (value: string[]) => void;
  /** The text being typed. Submitting includes it; adding it on blur would shift the layout under a click. */
  draft: string;
  onDraft: (draft: string) => void;
  autoFocus?: boolean;
};

const SEPARATORS = [',', ';', ' ', '\n', '\r', '\t'];

export function DestinationsInput(props: DestinationsInputProps) {
  const { value, error, rejectedAddress, onChange, draft, onDraft, autoFocus } = props;
  return (
    <div className={classes.destinations}>
      <AddressesInput
        label="Delivers to"
        description="Separate addresses with commas, spaces or new lines."
        placeholder={value.length === 0 ? 'ann@example.com' : 'Add another address'}
        splitChars={SEPARATORS}
        acceptValueOnBlur={false}
        value={value}
        searchValue={draft}
        isInvalid={(address) => isInvalid(address) || address.toLowerCase() === rejectedAddress}
        error={error}
        data-autofocus={autoFocus || undefined}
        onChange={(next) => onChange(mergeAddresses([], next.flatMap(splitAddresses)))}
        onSearchChange={onDraft}
      />
      <span className={classes.count} data-over={value.length > MAX_DESTINATIONS || undefined}>
        {value.length} of {MAX_DESTINATIONS}
      </span>
    </div>
  );
}

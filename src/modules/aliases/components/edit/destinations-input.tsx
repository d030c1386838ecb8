'use client';

import { type ReactNode, useEffect, useRef, useState } from 'react';
import { AddressesInput } from '@/components/directory/addresses-input';
import { StatusMark } from '@/components/marks/status-mark';
import { MAX_DESTINATIONS } from '../../schema';
import { isInvalid, mergeAddresses, splitAddresses } from './alias-values';
import classes from './destinations-input.module.css';
import { useDestinationHints } from './use-destination-hints';

type DestinationsInputProps = {
  /** The alias's `destination`. It includes the address that is still being typed. */
  value: string;
  error?: ReactNode;
  /** The address that the server rejected. */
  rejectedAddress: string | null;
  onChange: (value: string) => void;
  autoFocus?: boolean;
};

type Parts = { addresses: string[]; draft: string };

const SEPARATORS = [',', ';', ' ', '\n', '\r', '\t'];

export function DestinationsInput({ value, error, rejectedAddress, onChange, autoFocus }: DestinationsInputProps) {
  const root = useRef<HTMLDivElement>(null);
  const [{ addresses, draft }, setParts] = useState<Parts>({ addresses: splitAddresses(value), draft: '' });
  // The input reports the new addresses and the emptied draft one after the other, in the same event.
  const latest = useRef<Parts>({ addresses, draft });
  // The list has the warnings of those that the alias had.
  const [known] = useState(() => new Set(addresses));
  const entered = addresses.filter((address) => !known.has(address));
  const { suggested, dead } = useDestinationHints(entered, draft);
  const change = (part: Partial<Parts>) => {
    latest.current = { ...latest.current, ...part };
    setParts(latest.current);
    onChange(destinationOf(latest.current));
  };

  // Adding the typed address on blur would shift the layout under a click.
  useEffect(() => {
    const form = root.current?.closest('form');
    const addTyped = () => {
      latest.current = { addresses: splitAddresses(destinationOf(latest.current)), draft: '' };
      setParts(latest.current);
    };
    form?.addEventListener('submit', addTyped);
    return () => form?.removeEventListener('submit', addTyped);
  }, []);

  return (
    <div ref={root} className={classes.destinations}>
      <AddressesInput
        label="Delivers to"
        description="Separate addresses with commas, spaces or new lines."
        placeholder={addresses.length === 0 ? 'ann@example.com' : 'Add another address'}
        data={suggested}
        // The server has found them, also by the name of the mailbox.
        filter={({ options }) => options}
        splitChars={SEPARATORS}
        acceptValueOnBlur={false}
        value={addresses}
        searchValue={draft}
        isInvalid={(address) => isInvalid(address) || address.toLowerCase() === rejectedAddress}
        error={error}
        data-autofocus={autoFocus || undefined}
        onChange={(next) => change({ addresses: mergeAddresses([], next.flatMap(splitAddresses)) })}
        onSearchChange={(text) => change({ draft: text })}
      />
      <span className={classes.count} data-over={addresses.length > MAX_DESTINATIONS || undefined}>
        {addresses.length} of {MAX_DESTINATIONS}
      </span>
      <ul className={classes.dead} aria-live="polite">
        {dead.map(({ address, explanation }) => (
          <li key={address}>
            <StatusMark status="warning">{address}</StatusMark> <span className="soft">{explanation}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function destinationOf({ addresses, draft }: Parts): string {
  return mergeAddresses(addresses, splitAddresses(draft)).join(',');
}

'use client';

import { Pill, PillsInput } from '@mantine/core';
import type { ClipboardEvent, KeyboardEvent, ReactNode } from 'react';
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

const SEPARATORS = ['Enter', ',', ';', ' '];

export function DestinationsInput(props: DestinationsInputProps) {
  const { value, error, rejectedAddress, onChange, draft, onDraft, autoFocus } = props;
  const add = (text: string) => {
    const more = splitAddresses(text);
    onDraft('');
    if (more.length > 0) onChange(mergeAddresses(value, more));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (SEPARATORS.includes(event.key) && draft.trim() !== '') {
      event.preventDefault();
      add(draft);
    }
    if (event.key === 'Backspace' && draft === '') onChange(value.slice(0, -1));
  };
  const onPaste = (event: ClipboardEvent<HTMLInputElement>) => {
    const text = event.clipboardData.getData('text');
    if (!/[\s,;]/.test(text.trim())) return;
    event.preventDefault();
    add(`${draft}${text}`);
  };

  return (
    <div className={classes.destinations}>
      <PillsInput label="Delivers to" description="Separate addresses with commas, spaces or new lines." error={error}>
        <Pill.Group>
          {value.map((address) => (
            <Pill
              key={address}
              withRemoveButton
              data-invalid={isInvalid(address) || address.toLowerCase() === rejectedAddress || undefined}
              removeButtonProps={{ 'aria-label': `Remove ${address}`, 'aria-hidden': false, tabIndex: 0 }}
              onRemove={() => onChange(value.filter((other) => other !== address))}
            >
              {address}
            </Pill>
          ))}
          <PillsInput.Field
            className={classes.field}
            placeholder={value.length === 0 ? 'ann@example.com' : 'Add another address'}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            inputMode="email"
            data-autofocus={autoFocus || undefined}
            value={draft}
            onChange={(event) => onDraft(event.currentTarget.value)}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
          />
        </Pill.Group>
      </PillsInput>
      <span className={classes.count} data-over={value.length > MAX_DESTINATIONS || undefined}>
        {value.length} of {MAX_DESTINATIONS}
      </span>
    </div>
  );
}

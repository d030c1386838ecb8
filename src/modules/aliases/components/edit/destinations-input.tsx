'use client';

import { Pill, PillsInput } from '@mantine/core';
import type { ClipboardEvent, KeyboardEvent, ReactNode } from 'react';
import { isWrong, MOST_DESTINATIONS, splitAddresses, withMore } from './alias-values';

type DestinationsInputProps = {
  value: string[];
  error?: ReactNode;
  /** An address that the server refused. */
  refused: string | null;
  onChange: (value: string[]) => void;
  /** What is typed and not an entry yet: submitting takes it along, so that nothing moves under a click. */
  draft: string;
  onDraft: (draft: string) => void;
  autoFocus?: boolean;
};

const SEPARATORS = ['Enter', ',', ';', ' '];

export function DestinationsInput(props: DestinationsInputProps) {
  const { value, error, refused, onChange, draft, onDraft, autoFocus } = props;
  const add = (text: string) => {
    const more = splitAddresses(text);
    onDraft('');
    if (more.length > 0) onChange(withMore(value, more));
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
    <div className="destinations pills">
      <PillsInput
        label="Delivers to"
        description="Paste a list: commas, spaces and new lines all separate."
        error={error}
      >
        <Pill.Group>
          {value.map((address) => (
            <Pill
              key={address}
              withRemoveButton
              data-invalid={isWrong(address) || address.toLowerCase() === refused || undefined}
              removeButtonProps={{ 'aria-label': `Remove ${address}`, 'aria-hidden': false, tabIndex: 0 }}
              onRemove={() => onChange(value.filter((other) => other !== address))}
            >
              {address}
            </Pill>
          ))}
          <PillsInput.Field
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
      <span className="destinations-count" data-over={value.length > MOST_DESTINATIONS || undefined}>
        {value.length} of {MOST_DESTINATIONS}
      </span>
    </div>
  );
}

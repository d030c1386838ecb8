'use client';

import { Combobox, InputBase } from '@mantine/core';
import type { KeyboardEvent, ReactNode } from 'react';
import { isComposing } from '../is-composing';
import { type Choice, unmistakable } from './choices';
import { PickerDropdown, PickerStatus, submitOption } from './picker-dropdown';
import type { Choices } from './use-choices';
import type { PickerSearch } from './use-picker-search';

export type PickerFieldProps = {
  label: string;
  description?: ReactNode;
  placeholder?: string;
  error?: ReactNode;
  disabled?: boolean;
};

type PickerProps = PickerFieldProps & {
  search: PickerSearch;
  found: Choices;
  chosen: Choice | null;
  /** Listed first: the choice of none in particular. */
  first?: Choice;
  /** The name of the button that empties the field. Without it, there is none. */
  clearLabel?: string;
  /** Whether the field is in a popover, which a click on options outside of it would close. */
  isInPopover?: boolean;
  onChoose: (choice: Choice | null) => void;
};

/** A field for one of many records, which the server searches. */
export function Picker({
  search,
  found,
  chosen,
  first,
  clearLabel,
  isInPopover = false,
  onChoose,
  ...field
}: PickerProps) {
  const { combobox, typed, isOpened } = search;
  const shownFirst = first?.label.toLowerCase().includes(search.q.toLowerCase()) ? first : undefined;
  const choose = (choice: Choice | null = null) => {
    onChoose(choice);
    combobox.closeDropdown();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !isOpened || isComposing(event)) return;
    // In an open list, it would send the form with what was chosen before.
    event.preventDefault();
    if (combobox.getSelectedOptionIndex() !== -1 || !found.isSettled || typed === null) return;
    const chosenByName = unmistakable(found.choices, search.q);
    if (chosenByName) choose(chosenByName);
  };
  return (
    <Combobox
      store={combobox}
      withinPortal={!isInPopover}
      onOptionSubmit={(value) => submitOption(found, value, (choice) => choose(choice ?? first ?? null))}
    >
      <Combobox.Target withExpandedAttribute>
        <InputBase
          {...field}
          className="mono-input"
          value={typed ?? chosen?.label ?? ''}
          autoCapitalize="none"
          spellCheck={false}
          maxLength={253}
          rightSection={
            clearLabel && chosen && !field.disabled ? (
              <Combobox.ClearButton
                aria-label={clearLabel}
                aria-hidden={false}
                tabIndex={0}
                onClear={() => choose(null)}
              />
            ) : (
              <Combobox.Chevron />
            )
          }
          rightSectionPointerEvents={clearLabel && chosen ? 'all' : 'none'}
          inputContainer={(input) => (
            <>
              {input}
              <PickerStatus isOpened={isOpened} found={found} />
            </>
          )}
          onChange={(event) => search.type(event.currentTarget.value)}
          onClick={(event) => {
            if (typed === null) event.currentTarget.select();
            combobox.openDropdown();
          }}
          onFocus={(event) => event.currentTarget.select()}
          onBlur={() => combobox.closeDropdown()}
          onKeyDown={onKeyDown}
        />
      </Combobox.Target>
      <PickerDropdown
        combobox={combobox}
        label={field.label}
        found={found}
        first={shownFirst}
        isChosen={(value) => value === (chosen ?? first)?.value}
      />
    </Combobox>
  );
}

'use client';

import { Combobox, Pill, PillsInput } from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { isComposing } from '../is-composing';
import { TextButton } from '../text/text-button';
import { type Choice, unmistakable } from './choices';
import { domainIn } from './domain-picker';
import type { PickerFieldProps } from './picker';
import { PickerDropdown, PickerStatus, submitOption } from './picker-dropdown';
import { useDomainChoices } from './use-choices';
import { useDomainNames } from './use-domain-names';
import { usePickerSearch } from './use-picker-search';

const MAX_PILLS = 40;

type DomainsPickerProps = PickerFieldProps & { value?: string[]; onChange?: (ids: string[]) => void };

/** Several of the domains that the admin has access to. */
export function DomainsPicker({ value = [], onChange, placeholder, disabled, ...field }: DomainsPickerProps) {
  const search = usePickerSearch({ clean: domainIn });
  const { combobox, typed, isOpened } = search;
  const found = useDomainChoices(search);
  const offered = { ...found, choices: found.choices.filter((choice) => !value.includes(choice.value)) };
  const [picked, setPicked] = useState<Choice[]>([]);
  const [isWhole, setIsWhole] = useState(false);
  const shown = isWhole ? value : value.slice(-MAX_PILLS);
  const known = new Map(picked.map((choice) => [choice.value, choice.label]));
  const names = useDomainNames(shown.filter((id) => !known.has(id)));

  const add = (choice?: Choice) => {
    if (!choice) return;
    setPicked([...picked, choice]);
    onChange?.([...value, choice.value]);
    search.type('');
  };
  const remove = (id: string | undefined) => onChange?.(value.filter((each) => each !== id));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Backspace' && !typed) remove(value.at(-1));
    if (event.key !== 'Enter' || !isOpened || isComposing(event)) return;
    // In an open list, it would send the form without what is typed.
    event.preventDefault();
    if (combobox.getSelectedOptionIndex() !== -1 || !found.isSettled || !search.q) return;
    add(unmistakable(offered.choices, search.q));
  };

  return (
    <Combobox store={combobox} onOptionSubmit={(option) => submitOption(offered, option, add)}>
      <Combobox.DropdownTarget>
        <PillsInput
          {...field}
          className="mono-input"
          disabled={disabled}
          rightSection={<Combobox.Chevron />}
          rightSectionPointerEvents="none"
          inputContainer={(input) => (
            <>
              {input}
              <PickerStatus isOpened={isOpened} found={found} />
            </>
          )}
          onClick={() => combobox.openDropdown()}
        >
          <Pill.Group disabled={disabled}>
            {shown.length < value.length && (
              <TextButton onClick={() => setIsWhole(true)}>{value.length - shown.length} more</TextButton>
            )}
            {shown.map((id) => {
              const name = known.get(id) ?? names.get(id) ?? id;
              return (
                <Pill
                  key={id}
                  withRemoveButton={!disabled}
                  removeButtonProps={{ 'aria-label': `Remove ${name}`, 'aria-hidden': false, tabIndex: 0 }}
                  onRemove={() => remove(id)}
                >
                  {name}
                </Pill>
              );
            })}
            <Combobox.EventsTarget withExpandedAttribute>
              <PillsInput.Field
                value={typed ?? ''}
                placeholder={value.length === 0 ? placeholder : undefined}
                autoCapitalize="none"
                spellCheck={false}
                maxLength={253}
                onChange={(event) => search.type(event.currentTarget.value)}
                onBlur={() => combobox.closeDropdown()}
                onKeyDown={onKeyDown}
              />
            </Combobox.EventsTarget>
          </Pill.Group>
        </PillsInput>
      </Combobox.DropdownTarget>
      <PickerDropdown combobox={combobox} label={field.label} found={offered} isChosen={() => false} />
    </Combobox>
  );
}

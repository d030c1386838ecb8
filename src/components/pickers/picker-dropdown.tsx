'use client';

import { CheckIcon, Combobox, type ComboboxStore } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import type { Choice } from './choices';
import classes from './picker-dropdown.module.css';
import type { Choices } from './use-choices';

const ACTION = 'picker:action';

type PickerDropdownProps = {
  combobox: ComboboxStore;
  label: string;
  found: Choices;
  /** Listed first, while it has what is searched. */
  first?: Choice;
  isChosen: (value: string) => boolean;
  children?: ReactNode;
};

export function PickerDropdown({ combobox, label, found, first, isChosen, children }: PickerDropdownProps) {
  const { choices, action, status } = found;
  const options = first ? [first, ...choices] : choices;
  const countBefore = useRef(0);
  const hasAction = action !== null;
  // The keyboard stays at the last option while more are added before it.
  useEffect(() => {
    const before = countBefore.current;
    countBefore.current = options.length;
    if (options.length <= before || combobox.getSelectedOptionIndex() !== before) return;
    combobox.selectOption(hasAction ? options.length : before);
  }, [combobox, options.length, hasAction]);
  return (
    <Combobox.Dropdown>
      {children}
      <Combobox.Options aria-label={label} className={classes.options}>
        {options.map((choice) => (
          <Combobox.Option
            key={choice.value}
            className={classes.option}
            value={choice.value}
            active={isChosen(choice.value)}
            aria-selected={isChosen(choice.value)}
          >
            {isChosen(choice.value) && <CheckIcon />}
            <span>{choice.label}</span>
          </Combobox.Option>
        ))}
        {action && <Combobox.Option value={ACTION}>{action.label}</Combobox.Option>}
      </Combobox.Options>
      {status.isVisible && (
        <Combobox.Footer aria-hidden className={classes.status}>
          {status.text}
        </Combobox.Footer>
      )}
    </Combobox.Dropdown>
  );
}

/** Runs the last option, or chooses the one with this value. */
export function submitOption({ action, choices }: Choices, value: string, choose: (choice?: Choice) => void): void {
  if (value === ACTION) action?.run();
  else choose(choices.find((choice) => choice.value === value));
}

/** Announces to screen readers what the line below the options says. */
export function PickerStatus({ isOpened, found }: { isOpened: boolean; found: Choices }) {
  return (
    <span aria-live="polite" aria-atomic="true" className="sr-only">
      {isOpened ? found.status.text : ''}
    </span>
  );
}

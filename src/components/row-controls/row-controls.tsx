import type { ChangeEvent } from 'react';
import classes from './row-controls.module.css';

type RowCheckboxProps = {
  label: string;
  checked: boolean;
  /** Some of the rows are selected. For the checkbox in the header. */
  isMixed?: boolean;
  disabled?: boolean;
  /** `isExtended` says whether Shift was held. */
  onChange: (isExtended: boolean) => void;
};

/** A checkbox in each row of a list. */
export function RowCheckbox({ label, isMixed = false, onChange, ...input }: RowCheckboxProps) {
  const ref = isMixed ? mix : unmix;
  return (
    <input
      type="checkbox"
      ref={ref}
      className={classes.checkbox}
      aria-label={label}
      onChange={(event) => onChange(hasShift(event))}
      {...input}
    />
  );
}

/** React calls onChange of a checkbox on its click, which keyboards make too. */
function hasShift({ nativeEvent }: ChangeEvent): boolean {
  return nativeEvent instanceof MouseEvent && nativeEvent.shiftKey;
}

const mix = (element: HTMLInputElement | null) => setMixed(element, true);
const unmix = (element: HTMLInputElement | null) => setMixed(element, false);

/** HTML has no attribute for it. */
function setMixed(element: HTMLInputElement | null, isMixed: boolean): void {
  if (element) element.indeterminate = isMixed;
}

type RowSwitchProps = { label: string; checked: boolean; onChange: (isOn: boolean) => void };

/** A switch in each row of a list. */
export function RowSwitch({ label, checked, onChange }: RowSwitchProps) {
  return (
    <input
      type="checkbox"
      // biome-ignore lint/a11y/useAriaPropsForRole: the element has the state itself.
      role="switch"
      className={classes.switch}
      aria-label={label}
      checked={checked}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

import { type ChangeEvent, startTransition, useOptimistic } from 'react';
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
export function RowCheckbox({ label, checked, isMixed = false, disabled, onChange }: RowCheckboxProps) {
  // The other rows and the bar follow once they have been rendered, which takes longer than a click may.
  const [shown, show] = useOptimistic(checked);
  const change = (event: ChangeEvent<HTMLInputElement>) => {
    const { checked: isChecked } = event.currentTarget;
    const isExtended = hasShift(event);
    startTransition(() => {
      show(isChecked);
      onChange(isExtended);
    });
  };
  return (
    <input
      type="checkbox"
      ref={isMixed && shown === checked ? mix : unmix}
      className={classes.checkbox}
      aria-label={label}
      checked={shown}
      disabled={disabled}
      onChange={change}
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

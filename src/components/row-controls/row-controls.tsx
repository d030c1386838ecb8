import classes from './row-controls.module.css';

type RowCheckboxProps = { label: string; checked: boolean; disabled?: boolean; onChange: () => void };

/** A checkbox in each row of a list. */
export function RowCheckbox({ label, ...input }: RowCheckboxProps) {
  return <input type="checkbox" className={classes.checkbox} aria-label={label} {...input} />;
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

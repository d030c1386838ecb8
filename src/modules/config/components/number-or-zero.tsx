import { Select } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Setting } from '../schema';
import classes from './config-page.module.css';
import type { SettingValue } from './setting-value';

type NumberOrZeroProps = {
  setting: Setting;
  zeroText: string;
  value: SettingValue;
  onChange: (value: SettingValue) => void;
  /** The field for other numbers, of which null is an empty one. */
  children: (onChange: (value: number | null) => void) => ReactNode;
};

/** A choice between what 0 means, in words, and a number: for some settings 0 keeps everything, and for others nothing. */
export function NumberOrZero({ setting, zeroText, value, onChange, children }: NumberOrZeroProps) {
  const { key, unit } = setting;
  // A number was chosen or deleted, and no other is entered yet.
  const [isEntering, setIsEntering] = useState(false);
  if (isEntering && value !== 0) setIsEntering(false);
  const isZero = value === 0 && !isEntering;
  const choose = (choice: string | null) => {
    setIsEntering(choice === 'number');
    if (choice === 'zero') onChange(0);
    else if (typeof setting.value === 'number' && setting.value > 0) onChange(setting.value);
  };
  return (
    <div className={classes.numberOrZero}>
      <Select
        aria-label={`${key}: none or a number`}
        data={[
          { value: 'number', label: unit === 'days' ? 'Kept for' : 'At most' },
          { value: 'zero', label: zeroText.replace(/\.$/, '') },
        ]}
        allowDeselect={false}
        value={isZero ? 'zero' : 'number'}
        onChange={choose}
      />
      {!isZero &&
        children((next) => {
          setIsEntering(next === null);
          onChange(next);
        })}
    </div>
  );
}

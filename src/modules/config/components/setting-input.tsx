import { NumberInput, Select, Switch, TagsInput, TextInput } from '@mantine/core';
import { pasteWholeNumber } from '@/components/forms/paste-whole-number';
import type { Setting } from '../schema';
import { NumberOrZero } from './number-or-zero';
import { isEmptyValue, type SettingValue, unsetText, valueText } from './setting-value';

type SettingInputProps = {
  setting: Setting;
  value: SettingValue;
  error: string | undefined;
  onChange: (value: SettingValue) => void;
};

/** The field for a setting's value. An emptied number means the default. */
export function SettingInput({ setting, value, error, onChange }: SettingInputProps) {
  const { key, type, unit, options, zero_text: zeroText } = setting;
  const field = { 'aria-label': key, error };
  const placeholder = isEmptyValue(value) ? unsetText(setting) : undefined;
  if (type === 'boolean') {
    return (
      <Switch
        {...field}
        label={value ? 'Yes' : 'No'}
        checked={value === true}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    );
  }
  if (type === 'integer') {
    const number = (change: (value: number | null) => void) => (
      <NumberInput
        {...field}
        value={typeof value === 'number' && !(value === 0 && zeroText) ? value : ''}
        suffix={unit ? ` ${unit}` : ''}
        allowDecimal={false}
        thousandSeparator=","
        hideControls
        onPasteCapture={pasteWholeNumber}
        onChange={(entered) => change(entered === '' ? null : Number(entered))}
      />
    );
    if (!zeroText) return number(onChange);
    return (
      <NumberOrZero setting={setting} zeroText={zeroText} value={value} onChange={onChange}>
        {number}
      </NumberOrZero>
    );
  }
  if (type === 'list') {
    return (
      <TagsInput
        {...field}
        className="mono-input"
        placeholder={placeholder}
        value={Array.isArray(value) ? value : []}
        splitChars={[',', ' ']}
        acceptValueOnBlur
        onChange={onChange}
      />
    );
  }
  if (options) {
    return (
      <Select
        {...field}
        data={options.map((option) => ({ value: option, label: valueText(option, null) }))}
        allowDeselect={false}
        value={typeof value === 'string' ? value : null}
        onChange={onChange}
      />
    );
  }
  return (
    <TextInput
      {...field}
      className="mono-input"
      spellCheck={false}
      placeholder={placeholder}
      value={typeof value === 'string' ? value : ''}
      onChange={(event) => onChange(event.currentTarget.value || null)}
    />
  );
}

'use client';

import { Select, TextInput } from '@mantine/core';
import type { CalledParameter } from './request';

type ParameterFieldProps = {
  parameter: CalledParameter;
  isFirst: boolean;
  value: string;
  error?: string;
  onChange: (value: string) => void;
};

export function ParameterField({ parameter, isFirst, value, error, onChange }: ParameterFieldProps) {
  const { name, type, description, isRequired, values } = parameter;
  const props = {
    label: name,
    description: description.replaceAll('`', ''),
    required: isRequired,
    value,
    error,
    placeholder: type,
    'data-autofocus': isFirst || undefined,
  };
  const choices = type === 'boolean' ? ['true', 'false'] : values;
  // An array takes several values.
  if (choices.length === 0 || type.startsWith('array'))
    return <TextInput {...props} className="mono-input" onChange={(event) => onChange(event.currentTarget.value)} />;
  return (
    <Select {...props} data={choices} value={value || null} clearable onChange={(chosen) => onChange(chosen ?? '')} />
  );
}

'use client';

import { ActionIcon, Button, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconPlus, IconX } from '@/components/icons/icons';
import type { HeaderRow } from './compose-values';
import { FieldList } from './field-list';
import classes from './headers-input.module.css';

type HeadersInputProps = { value: HeaderRow[]; error?: ReactNode; onChange: (value: HeaderRow[]) => void };

export function HeadersInput({ value, error, onChange }: HeadersInputProps) {
  const change = (key: string, part: Partial<HeaderRow>) => {
    onChange(value.map((row) => (row.key === key ? { ...row, ...part } : row)));
  };

  return (
    <FieldList name="Headers" error={error}>
      {value.map((row, index) => (
        <div key={row.key} className={`${classes.row} mono-input`}>
          <TextInput
            aria-label={`Name of header ${index + 1}`}
            placeholder="X-Order"
            value={row.name}
            error={row.name !== '' && !/^x-/i.test(row.name) ? 'Must start with X-' : undefined}
            onChange={(event) => change(row.key, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={`Value of header ${index + 1}`}
            placeholder="20418"
            value={row.value}
            onChange={(event) => change(row.key, { value: event.currentTarget.value })}
          />
          <ActionIcon
            aria-label={`Remove header ${index + 1}`}
            onClick={() => onChange(value.filter(({ key }) => key !== row.key))}
          >
            <IconX size={16} stroke={1.5} />
          </ActionIcon>
        </div>
      ))}
      <div>
        <Button
          leftSection={<IconPlus stroke={1.75} />}
          onClick={() => onChange([...value, { key: crypto.randomUUID(), name: 'X-', value: '' }])}
        >
          Add header
        </Button>
      </div>
    </FieldList>
  );
}

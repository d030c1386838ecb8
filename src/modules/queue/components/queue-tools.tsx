'use client';

import { Button, Group, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { isSearchable, type QueueFilters } from './use-queue-filters';

const LABELS = { from: 'From', to: 'To' };
const HINTS = {
  from: 'From: address, @domain, or <> for bounces',
  to: 'To: address or @domain',
};

type QueueToolsProps = Pick<QueueFilters, 'filters' | 'change' | 'clear' | 'isFiltered'> & { children?: ReactNode };

export function QueueTools({ filters, change, clear, isFiltered, children }: QueueToolsProps) {
  return (
    <Group py="md" align="flex-start">
      {(['from', 'to'] as const).map((field) => (
        <TextInput
          key={field}
          aria-label={`${LABELS[field]}, a full address or @ and a domain`}
          placeholder={HINTS[field]}
          flex="1 1 200px"
          miw={0}
          value={filters[field]}
          error={isSearchable(field, filters[field]) ? null : 'Enter a full address, or @ and a domain.'}
          onChange={(event) => change({ [field]: event.currentTarget.value || null })}
        />
      ))}
      {isFiltered && (
        <Button variant="subtle" color="gray" onClick={clear} className="only-wide">
          Clear
        </Button>
      )}
      {children}
    </Group>
  );
}

'use client';

import { Button, Group, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { ActiveFilter, SinceFilter } from '@/components/data-table/filters';
import { SegmentedControl } from '@/components/segmented-control';
import { formatMoment } from '@/lib/format';
import { type AuditFilters, guessFilter, VALUE_FILTERS } from './use-audit-filters';

const OUTCOMES = { all: 'All', success: 'Success', denied: 'Denied', error: 'Error' } as const;

export function AuditTools({ filters, change, set, filterBy, clear, isFiltered }: AuditFilters) {
  const [text, setText] = useState('');
  const find = (event: FormEvent) => {
    event.preventDefault();
    const found = guessFilter(text);
    if (!found) return;
    filterBy(...found);
    setText('');
  };
  return (
    <Group py="md">
      <form className="grow-small" onSubmit={find}>
        <TextInput
          aria-label="Find entries"
          placeholder="Actor, action, resource, IP address or request ID"
          leftSection={<IconSearch size={16} stroke={1.5} />}
          w={{ base: '100%', sm: 360 }}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </form>
      <SegmentedControl
        label="Outcome"
        value={filters.outcome ?? 'all'}
        options={OUTCOMES}
        onChange={(outcome) => change({ outcome: outcome === 'all' ? null : outcome })}
      />
      <SinceFilter since={filters.since} onChange={(since) => change({ since })} />
      {filters.until && (
        <ActiveFilter
          name="Until"
          value={formatMoment(filters.until.toISOString())}
          onRemove={() => change({ until: null })}
        />
      )}
      {set.map((name) => (
        <ActiveFilter
          key={name}
          name={VALUE_FILTERS[name]}
          value={filters[name] ?? ''}
          onRemove={() => change({ [name]: null })}
        />
      ))}
      {isFiltered && (
        <Button variant="subtle" color="gray" onClick={clear}>
          Clear
        </Button>
      )}
    </Group>
  );
}

'use client';

import { Button, Group, Popover, Select, Stack, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFilter, IconSearch } from '@tabler/icons-react';
import { ActiveFilter, SinceFilter } from '@/components/data-table/filters';
import { STATUSES } from '@/components/marks/status-mark';
import { formatMoment } from '@/lib/format';
import { MESSAGE_STATUSES } from '../schema';
import type { MessageFilters } from './use-message-filters';

const STATUS_OPTIONS = MESSAGE_STATUSES.map((status) => ({ value: status, label: STATUSES[status][2] }));
const DIRECTIONS = [
  { value: 'outbound', label: 'Outbound' },
  { value: 'inbound', label: 'Inbound' },
];

export function MessageTools({ filters, change, clear, isFiltered }: MessageFilters) {
  return (
    <Group py="md">
      <TextInput
        aria-label="Search messages"
        placeholder="Address, subject or message ID"
        leftSection={<IconSearch size={16} stroke={1.5} />}
        flex="1 1 200px"
        miw={0}
        value={filters.q}
        onChange={(event) => change({ q: event.currentTarget.value || null })}
      />
      <SinceFilter since={filters.since} onChange={(since) => change({ since })} />
      {filters.from && <ActiveFilter name="From" value={filters.from} onRemove={() => change({ from: null })} />}
      {filters.to && <ActiveFilter name="To" value={filters.to} onRemove={() => change({ to: null })} />}
      {filters.direction && (
        <ActiveFilter
          name="Direction"
          value={filters.direction === 'inbound' ? 'Inbound' : 'Outbound'}
          onRemove={() => change({ direction: null })}
        />
      )}
      {filters.until && (
        <ActiveFilter
          name="Until"
          value={formatMoment(filters.until.toISOString())}
          onRemove={() => change({ until: null })}
        />
      )}
      <MoreFilters filters={filters} change={change} />
      {isFiltered && (
        <Button variant="subtle" color="gray" onClick={clear} className="only-wide">
          Clear
        </Button>
      )}
    </Group>
  );
}

type Part = Pick<MessageFilters, 'filters' | 'change'>;

function MoreFilters({ filters, change }: Part) {
  const [opened, popover] = useDisclosure(false);
  return (
    <Popover opened={opened} onChange={popover.toggle} position="bottom-end" width={328} trapFocus shadow="md">
      <Popover.Target>
        <Button leftSection={<IconFilter stroke={1.5} />} onClick={popover.toggle} aria-expanded={opened}>
          Filters
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Filters">
        <Stack>
          <Select
            label="Status"
            placeholder="Any"
            clearable
            data={STATUS_OPTIONS}
            value={filters.status}
            onChange={(value) => change({ status: MESSAGE_STATUSES.find((status) => status === value) ?? null })}
            comboboxProps={{ withinPortal: false }}
          />
          <Select
            label="Direction"
            placeholder="Both"
            clearable
            data={DIRECTIONS}
            value={filters.direction}
            onChange={(value) => change({ direction: value === 'inbound' || value === 'outbound' ? value : null })}
            comboboxProps={{ withinPortal: false }}
          />
          <TextInput
            label="From (exact address)"
            className="mono-input"
            value={filters.from}
            onChange={(event) => change({ from: event.currentTarget.value || null })}
          />
          <TextInput
            label="To (exact address)"
            className="mono-input"
            value={filters.to}
            onChange={(event) => change({ to: event.currentTarget.value || null })}
          />
          <TextInput
            label="Since"
            type="datetime-local"
            value={localValue(filters.since)}
            onChange={(event) => change({ since: parseLocal(event.currentTarget.value) })}
          />
          <TextInput
            label="Until"
            type="datetime-local"
            value={localValue(filters.until)}
            onChange={(event) => change({ until: parseLocal(event.currentTarget.value) })}
          />
          <Button onClick={popover.close}>Show messages</Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

function localValue(date: Date | null): string {
  if (!date) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

function parseLocal(text: string): Date | null {
  const date = new Date(text);
  return text === '' || Number.isNaN(date.getTime()) ? null : date;
}

'use client';

import { Button, Menu, Popover, Select, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconChevronDown, IconFilter, IconSearch, IconX } from '@tabler/icons-react';
import { STATUSES } from '@/components/marks/status-mark';
import { formatMoment } from '@/lib/format';
import { MESSAGE_STATUSES } from '../schema';
import type { MessageFilters } from './use-message-filters';

const HOUR_MS = 3_600_000;
const SPANS = [
  { label: 'The last hour', ms: HOUR_MS },
  { label: 'The last 24 hours', ms: 24 * HOUR_MS },
  { label: 'The last 7 days', ms: 7 * 24 * HOUR_MS },
  { label: 'The last 30 days', ms: 30 * 24 * HOUR_MS },
];
const STATUS_OPTIONS = MESSAGE_STATUSES.map((status) => ({ value: status, label: STATUSES[status][2] }));
const DIRECTIONS = [
  { value: 'outbound', label: 'Going out' },
  { value: 'inbound', label: 'Coming in' },
];

export function MessageTools({ filters, change, clear, isFiltered }: MessageFilters) {
  return (
    <div className="tools tight">
      <TextInput
        aria-label="Find messages"
        placeholder="Address, subject or message id"
        leftSection={<IconSearch size={16} stroke={1.5} />}
        className="grow"
        value={filters.q}
        onChange={(event) => change({ q: event.currentTarget.value || null })}
      />
      <SinceFilter filters={filters} change={change} />
      {filters.from && <SetFilter name="From" value={filters.from} onRemove={() => change({ from: null })} />}
      {filters.to && <SetFilter name="To" value={filters.to} onRemove={() => change({ to: null })} />}
      {filters.direction && (
        <SetFilter
          name="Direction"
          value={filters.direction === 'inbound' ? 'in' : 'out'}
          onRemove={() => change({ direction: null })}
        />
      )}
      {filters.until && (
        <SetFilter
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
    </div>
  );
}

type Part = Pick<MessageFilters, 'filters' | 'change'>;

function SinceFilter({ filters, change }: Part) {
  if (filters.since) {
    return (
      <SetFilter
        name="Since"
        value={formatMoment(filters.since.toISOString())}
        onRemove={() => change({ since: null })}
      />
    );
  }
  return (
    <Menu position="bottom-start" width={184}>
      <Menu.Target>
        <button type="button" className="token only-wide">
          Since <b>any time</b>
          <IconChevronDown size={16} stroke={1.5} aria-hidden="true" />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {SPANS.map(({ label, ms }) => (
          <Menu.Item
            key={label}
            onClick={() => change({ since: new Date(Math.floor((Date.now() - ms) / 1000) * 1000) })}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

type SetFilterProps = { name: string; value: string; onRemove: () => void };

function SetFilter({ name, value, onRemove }: SetFilterProps) {
  return (
    <span className="token" data-set>
      {name} <b className="clip">{value}</b>
      <button type="button" aria-label={`Remove the filter: ${name}`} onClick={onRemove}>
        <IconX size={14} stroke={1.75} />
      </button>
    </span>
  );
}

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
        <div className="stack">
          <Select
            label="Outcome"
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
            label="From, the whole address"
            className="mono-input"
            value={filters.from}
            onChange={(event) => change({ from: event.currentTarget.value || null })}
          />
          <TextInput
            label="To, the whole address"
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
          <Button onClick={popover.close}>Show the messages</Button>
        </div>
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

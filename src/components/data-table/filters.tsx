'use client';

import { Menu } from '@mantine/core';
import { IconChevronDown, IconX } from '@tabler/icons-react';
import type { ComponentProps, ReactNode } from 'react';
import { formatMoment } from '@/lib/format';
import { LocalText } from '../values/local-text';
import classes from './filters.module.css';

const HOUR_MS = 3_600_000;
const TIME_RANGES = [
  { label: 'Last hour', ms: HOUR_MS },
  { label: 'Last 24 hours', ms: 24 * HOUR_MS },
  { label: 'Last 7 days', ms: 7 * 24 * HOUR_MS },
  { label: 'Last 30 days', ms: 30 * 24 * HOUR_MS },
];
type SinceFilterProps = { since: Date | null; onChange: (since: Date | null) => void };

export function SinceFilter({ since, onChange }: SinceFilterProps) {
  if (since) return <TimeFilter name="Since" at={since} onRemove={() => onChange(null)} />;
  return (
    <Menu position="bottom-start" width={184}>
      <Menu.Target>
        <FilterButton name="Since" value="any time" className="only-wide" />
      </Menu.Target>
      <Menu.Dropdown>
        {TIME_RANGES.map(({ label, ms }) => (
          <Menu.Item key={label} onClick={() => onChange(new Date(Math.floor((Date.now() - ms) / 1000) * 1000))}>
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

type FilterButtonProps = ComponentProps<'button'> & { name: string; value: string };

/** Opens a menu of values to filter by. */
export function FilterButton({ name, value, className = '', ...props }: FilterButtonProps) {
  return (
    <button type="button" className={`${classes.chip} ${className}`} {...props}>
      {name} <b>{value}</b>
      <IconChevronDown size={16} stroke={1.5} aria-hidden="true" />
    </button>
  );
}

type TimeFilterProps = { name: string; at: Date; onRemove: () => void };

export function TimeFilter({ name, at, onRemove }: TimeFilterProps) {
  const value = <LocalText>{() => formatMoment(at.toISOString())}</LocalText>;
  return <ActiveFilter name={name} value={value} onRemove={onRemove} />;
}

type ActiveFilterProps = { name: string; value: ReactNode; onRemove: () => void };

export function ActiveFilter({ name, value, onRemove }: ActiveFilterProps) {
  return (
    <span className={classes.chip} data-active-filter>
      {name} <b className="clip">{value}</b>
      <button type="button" aria-label={`Remove filter: ${name}`} onClick={onRemove}>
        <IconX size={14} stroke={1.75} />
      </button>
    </span>
  );
}

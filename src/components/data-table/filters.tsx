'use client';

import { Menu } from '@mantine/core';
import type { ComponentProps, ReactNode } from 'react';
import { formatMoment } from '@/lib/format';
import { IconChevronDown, IconX } from '../icons/icons';
import { nameOfPeriod, PERIODS, type Period, type Since } from '../list/since';
import { LocalText } from '../values/local-text';
import classes from './filters.module.css';

type SinceFilterProps = { since: Since | null; onChange: (since: Since | null) => void };

/** A period is picked from a menu. A date, which comes from another page or the filters, can be removed. */
export function SinceFilter({ since, onChange }: SinceFilterProps) {
  if (since instanceof Date) return <TimeFilter name="Since" at={since} onRemove={() => onChange(null)} />;
  return (
    <Menu position="bottom-start" width={184}>
      <Menu.Target>
        <FilterButton name="Period" value={since ? nameOfPeriod(since) : 'any'} className={since ? '' : 'only-wide'} />
      </Menu.Target>
      <Menu.Dropdown>
        {since && <Menu.Item onClick={() => onChange(null)}>Any</Menu.Item>}
        {Object.entries(PERIODS).map(([period, { label }]) => (
          <Menu.Item key={period} onClick={() => onChange(period as Period)}>
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
      <IconChevronDown size={16} stroke={1.5} />
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

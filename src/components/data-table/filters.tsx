'use client';

import { Menu } from '@mantine/core';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { formatBound } from '@/lib/format';
import { currentTimeZone } from '@/lib/time/time-zone';
import { startOfDay } from '@/lib/time/zoned-time';
import { lazyDialog } from '../dialogs/lazy-dialog';
import { IconChevronDown, IconX } from '../icons/icons';
import { nameOfPeriod, PERIODS, type Period, type Since } from '../list/since';
import { LocalText } from '../values/local-text';
import classes from './filters.module.css';

const RangeDialog = lazyDialog(() => import('./range-dialog').then((module) => module.RangeDialog));

type Range = { since: Since | null; until: Date | null };

type PeriodFilterProps = { range: Range; onChange: (range: Range) => void };

/** A period that ends now, or a range of dates. Each date can be removed. */
export function PeriodFilter({ range, onChange }: PeriodFilterProps) {
  const { since, until } = range;
  const [isChoosing, setChoosing] = useState(false);
  const start = since instanceof Date ? since : null;
  const period = since instanceof Date ? null : since;
  const value = start || until ? 'custom' : period ? nameOfPeriod(period) : 'any';
  return (
    <>
      <Menu position="bottom-start" width={184}>
        <Menu.Target>
          <FilterButton name="Period" value={value} />
        </Menu.Target>
        <Menu.Dropdown>
          {value !== 'any' && <Menu.Item onClick={() => onChange({ since: null, until: null })}>Any</Menu.Item>}
          {Object.entries(PERIODS).map(([name, { label }]) => (
            <Menu.Item key={name} onClick={() => onChange({ since: name as Period, until: null })}>
              {label}
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => onChange({ since: midnight(), until: null })}>Today</Menu.Item>
          <Menu.Item onClick={() => onChange({ since: midnight(1), until: midnight() })}>Yesterday</Menu.Item>
          <Menu.Item onClick={() => setChoosing(true)}>Custom range…</Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {start && <TimeFilter name="Since" at={start} onRemove={() => onChange({ since: null, until })} />}
      {until && <TimeFilter name="Until" at={until} onRemove={() => onChange({ since, until: null })} />}
      <RangeDialog
        opened={isChoosing}
        start={start}
        end={until}
        onClose={() => setChoosing(false)}
        onChoose={(from, to) => onChange({ since: from, until: to })}
      />
    </>
  );
}

function midnight(daysBefore = 0): Date {
  return startOfDay(new Date(), currentTimeZone(), daysBefore);
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

function TimeFilter({ name, at, onRemove }: TimeFilterProps) {
  const value = <LocalText>{() => formatBound(at.toISOString())}</LocalText>;
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

'use client';

import { Group, Select } from '@mantine/core';
import { useState } from 'react';
import { DateTimeInput } from '@/components/forms/date-time-input';
import { SegmentedControl } from '@/components/segmented-control';
import { choicesOf } from '@/lib/lists';
import { timeZonesWith } from '@/lib/time/time-zone';
import { enteredTime, inputValue, isIncompleteMoment } from '@/lib/time/zoned-time';
import type { Analytics, AnalyticsPeriod, Granularity } from '../../schema';
import classes from '../analytics.module.css';
import { byName, GRANULARITY_NAMES, PERIOD_NAMES } from '../labels';
import type { AnalyticsState } from '../use-analytics';

const HOUR_MS = 3_600_000;
const LENGTH_MS: Record<Granularity, number> = {
  '15m': HOUR_MS / 4,
  hour: HOUR_MS,
  day: 24 * HOUR_MS,
  week: 7 * 24 * HOUR_MS,
  month: 30 * 24 * HOUR_MS,
};
const GRANULARITIES = choicesOf(GRANULARITY_NAMES);
const MAX_POINTS = 3_000;

/** Chooses the period, what a point of the charts is, and the time zone. */
export function PeriodTools({ state }: { state: AnalyticsState }) {
  const { values, timezone, query, change } = state;
  const { data } = query;
  const choose = (period: AnalyticsPeriod) => {
    if (period !== 'custom') return change({ period, start: null, end: null, granularity: null });
    const start = data ? new Date(data.start) : new Date(Date.now() - 24 * HOUR_MS);
    change({ period, start, end: data ? earlier(new Date(data.end), new Date()) : null, granularity: null });
  };
  return (
    <>
      <Group py="md">
        <SegmentedControl label="Period" value={values.period} options={PERIOD_NAMES} onChange={choose} narrow="line" />
        <span className="spacer only-wide" />
        <Select
          aria-label="Granularity"
          w={128}
          allowDeselect={false}
          data={offered(data).map((value) => ({ value, label: byName(GRANULARITY_NAMES[value]) }))}
          value={values.granularity ?? data?.granularity ?? null}
          placeholder="Granularity"
          onChange={(value) => change({ granularity: GRANULARITIES.find((name) => name === value) ?? null })}
        />
        <Select
          aria-label="Time zone"
          className={classes.zone}
          searchable
          selectFirstOptionOnChange
          allowDeselect={false}
          limit={40}
          nothingFoundMessage="No matching time zone"
          data={timezone ? timeZonesWith(timezone) : []}
          value={timezone}
          placeholder="Time zone"
          onChange={(value) => change({ timezone: value })}
        />
      </Group>
      {values.period === 'custom' && (
        <Group pb="md">
          <TimeInput label="From" at={values.start} timezone={timezone} onChange={(start) => change({ start })} />
          <TimeInput label="To" at={values.end} timezone={timezone} onChange={(end) => change({ end })} />
        </Group>
      )}
    </>
  );
}

type TimeInputProps = { label: string; at: Date | null; timezone: string | null; onChange: (at: Date | null) => void };

function TimeInput({ label, at, timezone, onChange }: TimeInputProps) {
  const value = at && timezone ? inputValue(at, timezone) : '';
  // Kept apart from the value, which changes when both fields are left.
  const [entered, setEntered] = useState<string | null>(null);
  const enter = () => {
    if (entered === null || timezone === null || isIncompleteMoment(entered)) return;
    setEntered(null);
    if (entered !== value) onChange(enteredTime(entered, timezone));
  };
  return (
    <DateTimeInput
      label={label}
      isZoneless
      initialClock="00:00"
      disabled={timezone === null}
      value={entered ?? value}
      onChange={setEntered}
      onLeave={enter}
    />
  );
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}

/** Returns the granularities that make neither too many points nor a single one. */
function offered(data: Analytics | undefined): Granularity[] {
  if (!data) return GRANULARITIES;
  const lengthMs = Date.parse(data.end) - Date.parse(data.start);
  const isFit = (name: Granularity) => lengthMs / LENGTH_MS[name] < MAX_POINTS && LENGTH_MS[name] <= lengthMs;
  return GRANULARITIES.filter((name) => name === data.granularity || isFit(name));
}

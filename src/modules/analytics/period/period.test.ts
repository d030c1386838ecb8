import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Client, expectError, keyClient } from '@/test/rest';
import { rangeOf } from './period';

const NOW = new Date('2026-11-21T10:07:00Z');
const HOUR_MS = 3_600_000;

function custom(start: string, end: string, granularity: string, timezone = 'UTC') {
  return rangeOf({ period: 'custom', start, end, granularity, timezone }, NOW);
}

function last(period: string, timezone = 'UTC', granularity?: string) {
  return rangeOf({ period, timezone, granularity }, NOW);
}

/** The lengths of the points in hours. */
function hoursOf({ points, end }: ReturnType<typeof rangeOf>): number[] {
  return points.map((at, index) => ((points[index + 1] ?? end).getTime() - at.getTime()) / HOUR_MS);
}

describe('a period', () => {
  it('of 24 hours has the 24 whole hours before the current one', () => {
    const { start, end, points } = last('24h');
    expect([start, end]).toEqual([new Date('2026-11-20T10:00:00Z'), new Date('2026-11-21T10:15:00Z')]);
    expect(points).toHaveLength(25);
  });

  it.each([
    ['UTC', '2026-11-14T00:00:00Z'],
    ['Asia/Kolkata', '2026-11-13T18:30:00Z'],
    ['Asia/Kathmandu', '2026-11-13T18:15:00Z'],
    ['America/New_York', '2026-11-14T05:00:00Z'],
    ['Pacific/Chatham', '2026-11-13T10:15:00Z'],
  ])('of 7 days starts at midnight in %s', (timezone, start) => {
    const range = last('7d', timezone);
    expect(range.start).toEqual(new Date(start));
    expect(range.points).toHaveLength(8);
    expect(hoursOf(range).slice(0, -1)).toEqual(Array(7).fill(24));
  });

  it('is compared with the period of the same length before', () => {
    const { start, previous } = custom('2026-11-20T10:00:00Z', '2026-11-20T16:00:00Z', 'hour');
    expect(previous).toEqual({ start: new Date('2026-11-20T04:00:00Z'), end: start });
  });

  it('of its own is rounded to quarters of an hour', () => {
    const { start, end } = custom('2026-11-20T10:07:00Z', '2026-11-20T11:31:00Z', 'hour');
    expect([start, end]).toEqual([new Date('2026-11-20T10:00:00Z'), new Date('2026-11-20T11:45:00Z')]);
  });
});

describe('the points of a series', () => {
  it('are days of 23 and 25 hours when clocks change', () => {
    const spring = custom('2026-03-27T23:00:00Z', '2026-03-30T22:00:00Z', 'day', 'Europe/Berlin');
    expect(hoursOf(spring)).toEqual([24, 23, 24]);
    const autumn = custom('2026-10-23T22:00:00Z', '2026-10-26T23:00:00Z', 'day', 'Europe/Berlin');
    expect(hoursOf(autumn)).toEqual([24, 25, 24]);
  });

  it('are days that start when the first hour is missing or occurs twice', () => {
    const missing = custom('2026-03-07T05:00:00Z', '2026-03-09T04:00:00Z', 'day', 'America/Havana');
    expect(hoursOf(missing)).toEqual([24, 23]);
    const twice = custom('2026-10-31T04:00:00Z', '2026-11-02T05:00:00Z', 'day', 'America/Havana');
    expect(hoursOf(twice)).toEqual([24, 25]);
  });

  it.each([
    ['Asia/Kathmandu', ['04:15', '05:15', '06:15']],
    ['Asia/Kolkata', ['04:30', '05:30', '06:30']],
    ['Europe/Berlin', ['05:00', '06:00']],
  ])('are hours as they start in %s', (timezone, starts) => {
    const { points } = custom('2026-11-20T04:00:00Z', '2026-11-20T07:00:00Z', 'hour', timezone);
    expect(points.map((at) => at.toISOString().slice(11, 16))).toEqual(['04:00', ...starts]);
  });

  it('are hours after a change by half an hour', () => {
    const range = custom('2026-04-04T13:00:00Z', '2026-04-04T17:30:00Z', 'hour', 'Australia/Lord_Howe');
    expect(hoursOf(range)).toEqual([1, 1, 0.5, 1, 1]);
  });

  it('are weeks from Monday, and months', () => {
    const weeks = custom('2026-11-01T00:00:00Z', '2026-11-20T00:00:00Z', 'week');
    expect(weeks.points.map((at) => at.getUTCDate())).toEqual([1, 2, 9, 16]);
    const months = custom('2025-12-15T00:00:00Z', '2026-03-10T00:00:00Z', 'month', 'Europe/Berlin');
    expect(months.points.map((at) => at.toISOString())).toEqual([
      '2025-12-15T00:00:00.000Z',
      '2025-12-31T23:00:00.000Z',
      '2026-01-31T23:00:00.000Z',
      '2026-02-28T23:00:00.000Z',
    ]);
  });

  it('follow each other in every time zone', () => {
    const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const granularity = fc.constantFrom('15m', 'hour', 'day', 'week', 'month');
    const since = fc.integer({ min: Date.UTC(2020, 0), max: NOW.getTime() - HOUR_MS });
    fc.assert(
      fc.property(zone, granularity, since, fc.integer({ min: 1, max: 700 }), (timezone, unit, start, hours) => {
        const end = Math.min(start + hours * HOUR_MS, NOW.getTime());
        const range = custom(new Date(start).toISOString(), new Date(end).toISOString(), unit, timezone);
        expect(range.points[0]).toEqual(range.start);
        // Clocks change by up to three hours, in Antarctica.
        const most = { '15m': 0.25, hour: 1, day: 27, week: 171, month: 747 }[unit] ?? 0;
        for (const length of hoursOf(range)) expect(length > 0 && length <= most).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});

describe('an invalid period is rejected with INVALID_PERIOD', async () => {
  const api: Client = await keyClient();
  const start = '2026-01-01T00:00:00Z';

  it.each([
    ['an unknown period', 'period=2d', 'period'],
    ['an empty period', 'period=', 'period'],
    ['no start', 'period=custom', 'start'],
    ['a start without a custom period', `period=24h&start=${start}`, 'start'],
    ['an end without a custom period', `end=${start}`, 'end'],
    ['a start that is not a time', 'period=custom&start=yesterday', 'start'],
    ['a start without a time zone', 'period=custom&start=2026-01-01T00:00:00', 'start'],
    ['an end that is not a time', `period=custom&start=${start}&end=2026-02-30T00:00:00Z`, 'end'],
    ['a start after the end', 'period=custom&start=2020-01-02T00:00:00Z&end=2020-01-01T00:00:00Z', 'start'],
    ['a start at the end', 'period=custom&start=2020-01-01T00:00:00Z&end=2020-01-01T00:00:00Z', 'start'],
    ['a start in the future', 'period=custom&start=2999-01-01T00:00:00Z', 'start'],
    ['an end in the future', 'period=custom&start=2020-01-01T00:00:00Z&end=2999-01-01T00:00:00Z', 'end'],
    ['a start centuries ago', 'period=custom&start=0001-01-01T00:00:00Z', 'start'],
    ['an unknown granularity', 'granularity=minute', 'granularity'],
    ['too many points', 'period=90d&granularity=15m', 'granularity'],
    ['an unknown time zone', 'timezone=Mars/Olympus', 'timezone'],
    ['an offset as time zone', 'timezone=%2B02:00', 'timezone'],
    ['an empty time zone', 'timezone=', 'timezone'],
    ['a very long time zone', `timezone=${'x'.repeat(100)}`, 'timezone'],
  ])('%s', async (_, query, path) => {
    const { error } = expectError(await api.get(`/analytics?${query}`), 400, 'INVALID_PERIOD');
    expect(error.details.fields).toMatchObject([{ path }]);
    expect(error.message).toContain(path);
  });
});

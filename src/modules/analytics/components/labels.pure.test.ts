import { describe, expect, it } from 'vitest';
import { formatChange, timeLabels } from './labels';

const PERIOD = { start: '2026-11-21T18:45:00.000Z', end: '2026-11-28T19:00:00.000Z', timezone: 'UTC' };

describe('the days of a period', () => {
  it('say from when and until when, if they are parts of a day', () => {
    const { row } = timeLabels({ ...PERIOD, granularity: 'day' });
    expect(row('2026-11-21T00:00:00.000Z')).toMatch(/^21 Nov.*, from 18:45$/);
    expect(row('2026-11-22T00:00:00.000Z')).toMatch(/^22 Nov[^,]*$/);
    expect(row('2026-11-28T00:00:00.000Z')).toMatch(/^28 Nov.*, until 19:00$/);
  });

  it('are whole days of the time zone in a period of whole days', () => {
    const whole = { start: '2026-11-20T23:00:00.000Z', end: '2026-11-22T23:00:00.000Z', timezone: 'Europe/Berlin' };
    const { row } = timeLabels({ ...whole, granularity: 'day' });
    expect(row('2026-11-20T23:00:00.000Z')).toMatch(/^21 Nov[^,]*$/);
    expect(row('2026-11-21T23:00:00.000Z')).toMatch(/^22 Nov[^,]*$/);
  });
});

it.each([
  [3, 0, 'none before'],
  [112, 100, '12% more than before'],
  [88, 100, '12% fewer than before'],
  [299, 100, '199% more than before'],
  [641, 100, '6.4 times as many'],
  [3600, 100, '36 times as many'],
])('compares %d with %d', (value, before, text) => {
  expect(formatChange(value, before)).toBe(text);
});

import { describe, expect, it } from 'vitest';
import type { Analytics } from '../schema';
import { byName, describePeriod, formatSeconds, notAcceptedText, timeLabels } from './labels';

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

it('describes a period of days as these days and today, and another one from its start to its end', () => {
  const shown = { ...PERIOD, start: '2026-11-22T00:00:00.000Z', granularity: 'day' } as const;
  expect(describePeriod({ ...shown, period: '7d' })).toMatch(/^7 days and today, since 22 Nov.* 2026 · /);
  expect(describePeriod({ ...shown, period: 'custom' })).toMatch(/^22 Nov.* 2026 to 28 Nov.* 2026 · /);
});

it('names choices by their words, which keep their capitals if they are abbreviations', () => {
  expect(['Hour', '15 minutes', 'Recipient domain', 'SMTP code', 'API key'].map(byName)).toEqual([
    'By hour',
    'By 15 minutes',
    'By recipient domain',
    'By SMTP code',
    'By API key',
  ]);
});

it('says how many failed messages are no part of those that were sent', () => {
  const textOf = (rejected: number) => notAcceptedText({ rejected } as Analytics['totals']);
  expect(textOf(6)).toContain('6 failed messages');
  expect(textOf(0)).toBeNull();
});

it.each([
  [0.0124, '12 ms'],
  [1.44, '1.4 s'],
  [3180, '53 min'],
  [3600, '1 h'],
  [5400, '1.5 h'],
  [4_000_000, '1,111 h'],
])('writes %d seconds as %s', (seconds, text) => {
  expect(formatSeconds(seconds)).toBe(text);
});

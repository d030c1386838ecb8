import fc from 'fast-check';
import { expect, it } from 'vitest';
import { enteredTime, inputValue, joinMoment, parseClock, splitMoment, startOfDay } from './zoned-time';

it.each([
  ['2026-07-01T00:15', 'Europe/Berlin', '2026-06-30T22:15:00.000Z'],
  ['2026-12-01T00:15', 'Europe/Berlin', '2026-11-30T23:15:00.000Z'],
  ['2026-03-29T03:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  ['2026-11-21T10:00', 'Asia/Kathmandu', '2026-11-21T04:15:00.000Z'],
  ['2026-11-21T10:00', 'UTC', '2026-11-21T10:00:00.000Z'],
  // Skipped
  ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30:00.000Z'],
  ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
  // Repeated
  ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
  ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
])('%s entered in %s is %s', (text, timeZone, expected) => {
  expect(enteredTime(text, timeZone)?.toISOString()).toBe(expected);
});

it.each([
  ['2026-11-30T22:30:00Z', 'Europe/Berlin', 0, '2026-11-29T23:00:00.000Z'],
  ['2026-11-30T23:30:00Z', 'Europe/Berlin', 0, '2026-11-30T23:00:00.000Z'],
  ['2026-03-01T12:00:00Z', 'UTC', 1, '2026-02-28T00:00:00.000Z'],
  ['2026-03-30T12:00:00Z', 'Europe/Berlin', 1, '2026-03-28T23:00:00.000Z'],
  ['2026-11-21T12:00:00Z', 'America/New_York', 1, '2026-11-20T05:00:00.000Z'],
  // Midnight is skipped.
  ['2026-09-06T12:00:00Z', 'America/Santiago', 0, '2026-09-06T04:00:00.000Z'],
  ['2026-03-29T12:00:00Z', 'Atlantic/Azores', 0, '2026-03-29T01:00:00.000Z'],
  ['2026-03-08T12:00:00Z', 'America/Havana', 0, '2026-03-08T05:00:00.000Z'],
])('the day of %s in %s, less %d, begins at %s', (at, timeZone, daysBefore, expected) => {
  expect(startOfDay(new Date(at), timeZone, daysBefore).toISOString()).toBe(expected);
});

it.each(['', '2026-11-29T', 'T14:30', '2026-11-29T9 pm', '2026-11-29T9:30', '2026-13-29T09:30'])(
  '%j is no time',
  (text) => {
    expect(enteredTime(text, 'UTC')).toBeNull();
  },
);

it('a shown time that is entered again is shown the same in every time zone', () => {
  const zone = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
  const minute = fc.integer({ min: Date.UTC(2020, 0) / 60_000, max: Date.UTC(2030, 0) / 60_000 });
  fc.assert(
    fc.property(zone, minute, (timeZone, minutes) => {
      const shown = inputValue(new Date(minutes * 60_000), timeZone);
      const entered = enteredTime(shown, timeZone);
      expect(entered && inputValue(entered, timeZone)).toBe(shown);
    }),
    { numRuns: 300 },
  );
});

it.each([
  ['9', '09:00'],
  ['9:30', '09:30'],
  ['9.30', '09:30'],
  ['0930', '09:30'],
  ['930', '09:30'],
  [' 21:43 ', '21:43'],
  ['00:00', '00:00'],
])('takes %j as %s', (text, expected) => {
  expect(parseClock(text)).toBe(expected);
});

it.each(['', '24:00', '12:60', '9:3', '9 pm', '1:30:00', '99'])('takes %j as no time', (text) => {
  expect(parseClock(text)).toBeNull();
});

it('joins a date and a time, and is empty without both', () => {
  expect(joinMoment('2026-11-29', '930')).toBe('2026-11-29T09:30');
  expect(joinMoment('', ' ')).toBe('');
  expect(splitMoment(joinMoment('2026-11-29', ''))).toEqual(['2026-11-29', '']);
  expect(splitMoment(joinMoment('', '9 pm'))).toEqual(['', '9 pm']);
});

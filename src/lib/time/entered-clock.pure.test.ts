import { expect, it } from 'vitest';
import { joinMoment, parseClock, splitMoment } from './entered-clock';

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

import { expect, it } from 'vitest';
import { quietAt } from './quiet-hours';

const at = (hours: string, now: string) => {
  const { isQuiet, endedAt } = quietAt(hours, new Date(now));
  return [isQuiet, endedAt.toISOString()];
};
const night = '22:00-07:00 Europe/Berlin';
const noon = '12:00-13:00';

it.each([
  [night, '2026-11-27T20:59:59Z', false, '2026-11-27T06:00:00.000Z'],
  [night, '2026-11-27T21:00:00Z', true, '2026-11-27T06:00:00.000Z'],
  [night, '2026-11-28T05:59:59Z', true, '2026-11-27T06:00:00.000Z'],
  [night, '2026-11-28T06:00:00Z', false, '2026-11-28T06:00:00.000Z'],
  // The night in which the clocks go forward.
  [night, '2026-03-29T04:59:00Z', true, '2026-03-28T06:00:00.000Z'],
  [night, '2026-03-29T05:00:00Z', false, '2026-03-29T05:00:00.000Z'],
  [noon, '2026-11-27T11:59:00Z', false, '2026-11-26T13:00:00.000Z'],
  [noon, '2026-11-27T12:00:00Z', true, '2026-11-26T13:00:00.000Z'],
  [noon, '2026-11-27T13:00:00Z', false, '2026-11-27T13:00:00.000Z'],
])('%s at %s: quiet %s, last ended at %s', (hours, now, isQuiet, endedAt) => {
  expect(at(hours, now)).toEqual([isQuiet, endedAt]);
});

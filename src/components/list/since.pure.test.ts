import { expect, it } from 'vitest';
import { parseAsSince, startOf } from './since';

const NOW = Date.parse('2026-03-04T05:06:00.000Z');

it.each(['1h', '24h', '7d', '30d', '2026-03-01T00:00:00.000Z'])('keeps %s in a URL', (text) => {
  const since = parseAsSince.parse(text);
  expect(since && parseAsSince.serialize(since)).toBe(text);
});

it.each(['', '2h', 'yesterday', 'toString'])('takes no %j', (text) => {
  expect(parseAsSince.parse(text)).toBeNull();
});

it('begins a period so long before now, and a date at itself', () => {
  expect(startOf('24h', NOW)).toBe('2026-03-03T05:06:00.000Z');
  expect(startOf('1h', NOW)).toBe('2026-03-04T04:06:00.000Z');
  expect(startOf(new Date('2026-03-01T00:00:30Z'), NOW)).toBe('2026-03-01T00:00:30.000Z');
  expect(startOf(null, NOW)).toBeUndefined();
});

it('compares dates by their time', () => {
  expect(parseAsSince.eq(new Date(5), new Date(5))).toBe(true);
  expect(parseAsSince.eq('24h', '24h')).toBe(true);
  expect(parseAsSince.eq('24h', '7d')).toBe(false);
});

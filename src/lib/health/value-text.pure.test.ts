import { expect, it } from 'vitest';
import { limitsText, valueText } from './value-text';

it.each([
  [null, 's', '–'],
  [3, 's', '3 s'],
  [119, 's', '119 s'],
  [120, 's', '2 min'],
  [93_635, 's', '26 h'],
  [4 * 86_400, 's', '4 days'],
  [29.3, '%', '29.3%'],
  [1_204, 'ms', '1,204 ms'],
  [1, 'deliveries', '1 delivery'],
  [2, 'messages', '2 messages'],
  [1, 'messages', '1 message'],
  [7, null, '7'],
])('writes %s %s as %s', (value, unit, text) => {
  expect(valueText(value, unit)).toBe(text);
});

it.each([
  [null, ''],
  [{ is: 'above', degraded: 26 * 3600, down: 74 * 3600 }, 'Degraded above 26 h, down above 3 days'],
  [{ is: 'below', degraded: 120, down: null }, 'Degraded below 2 min'],
  [{ is: 'above', degraded: 20, down: 20 }, 'Down above 20 s'],
] as const)('writes the limits %j as %s', (limits, text) => {
  expect(limitsText(limits, 's')).toBe(text);
});

it('names what is counted once', () => {
  const text = limitsText({ is: 'above', degraded: 1_000, down: 50_000 }, 'deliveries');
  expect(text).toBe('Degraded above 1,000 deliveries, down above 50,000');
});

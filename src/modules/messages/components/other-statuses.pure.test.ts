import { expect, it } from 'vitest';
import type { MessageTotals } from '../schema';
import { othersOf } from './other-statuses';

it.each([
  [{ submitting: 2, scheduled: 1, cancelled: 1 }, 'with 4 others'],
  [{ submitting: 2, scheduled: 0, cancelled: 0 }, 'with 2 submitting'],
  [{ submitting: 0, scheduled: 0, cancelled: 0 }, undefined],
])('of %j says %j, which fits beside the count', (counts, text) => {
  expect(othersOf(counts as MessageTotals['counts'])).toBe(text);
});

import { expect, it } from 'vitest';
import type { MessageTotals } from '../schema';
import { othersOf } from './other-statuses';

it.each([
  [
    { submitting: 2, scheduled: 1, cancelled: 1 },
    { text: '4 in other states', title: 'Including 2 submitting, 1 scheduled, 1 cancelled' },
  ],
  [
    { submitting: 2, scheduled: 0, cancelled: 0 },
    { text: '2 submitting', title: 'Including 2 submitting' },
  ],
  [{ submitting: 0, scheduled: 0, cancelled: 0 }, undefined],
])('of %j says what fits beside the count', (counts, others) => {
  expect(othersOf(counts as MessageTotals['counts'])).toEqual(others);
});

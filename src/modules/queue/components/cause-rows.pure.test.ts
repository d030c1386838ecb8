import { expect, it } from 'vitest';
import type { QueueSummary } from '../schema';
import { causeRows } from './cause-rows';

it('lists suspended senders and what isn’t tried first, then full mailboxes, then what expires first', () => {
  const waiting = { count: 2, oldest_arrived_at: '2026-11-28T10:00:00.000Z', mailbox_id: null };
  const cause = (to: string | null, first_expires_at: string | null) => ({
    ...waiting,
    to,
    reason: null,
    first_expires_at,
  });
  const summary = {
    causes: [
      { ...cause('full@acme.example', '2026-12-03T10:00:00.000Z'), mailbox_id: 'one' },
      cause('@unknown.example', null),
      cause('@soon.example', '2026-11-28T11:00:00.000Z'),
      cause(null, null),
    ],
    suspended_senders: [{ ...waiting, from: 'info@acme.example', mailbox_id: 'two', first_expires_at: null }],
  } as unknown as QueueSummary;
  expect(causeRows(summary, true).map(({ label, address }) => address ?? label)).toEqual([
    'info@acme.example',
    'Not tried',
    'full@acme.example',
    '@soon.example',
    '@unknown.example',
  ]);
  const actions = (canSeeServices: boolean) => causeRows(summary, canSeeServices).map(({ action }) => action?.label);
  expect(actions(true)).toEqual(['Check for misuse', 'Check services', 'Review mailbox', undefined, undefined]);
  expect(actions(false)[1]).toBeUndefined();
});

import { expect, it } from 'vitest';
import type { QueuedMessage } from '../schema';
import { expiresSoon, isOverdue, waitReason } from './queue-labels';

const HOUR_MS = 3_600_000;
const queued = (queue: QueuedMessage['queue'], hours: number | null) =>
  ({
    queue,
    expires_at: hours === null ? null : new Date(Date.now() + hours * HOUR_MS).toISOString(),
  }) as QueuedMessage;

it.each([
  ['deferred', 20, true],
  ['deferred', -1, true],
  ['active', 20, true],
  ['deferred', 30, false],
  ['deferred', null, false],
  ['hold', 20, false],
] as const)('a message in %s that expires in %s hours', (queue, hours, isSoon) => {
  expect(expiresSoon(queued(queue, hours))).toBe(isSoon);
});

it.each([
  ['host mx.far.example[192.0.2.7] said: 452 4.2.2 Mailbox full (in reply to RCPT TO)', 'Mailbox full'],
  ['host mx.far.example[192.0.2.7] said: 450 Later', 'Temporary error'],
  ['host mx.relay.example[192.0.2.7] said: 452 4.2.2 Mailbox full', 'Mailbox full, says mx.relay.example'],
  ['connect to mx.far.example[192.0.2.7]:25: Connection refused', 'Connection refused by mx.far.example'],
])('of the reason %j shows %j', (reason, shown) => {
  const recipients = [{ address: 'ann@far.example', reason }];
  for (const queue of ['deferred', 'hold'] as const)
    expect(waitReason({ queue, recipients } as QueuedMessage)).toBe(shown);
});

it.each([
  ['active', 1, null, true],
  ['incoming', 1, null, true],
  ['active', 0.1, null, false],
  ['active', 1, 'Refused.', false],
  ['deferred', 1, null, false],
  ['hold', 1, null, false],
] as const)(
  'a message in %s that arrived %s hours ago, with the reason %s, is overdue: %s',
  (queue, hours, reason, is) => {
    const arrived_at = new Date(Date.now() - hours * HOUR_MS).toISOString();
    const recipients = [{ address: 'ann@far.example', reason }];
    expect(isOverdue({ queue, arrived_at, recipients } as QueuedMessage)).toBe(is);
  },
);

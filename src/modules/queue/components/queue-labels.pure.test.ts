import { expect, it } from 'vitest';
import type { QueuedMessage } from '../schema';
import { expiresSoon } from './queue-labels';

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

import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import type { QueuedMessage, QueueName } from '../requests';
import { parseQueueSettings, withTimes } from './queue-times';

const folder = mkdtempSync(join(tmpdir(), 'queue-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const NEXT = new Date('2026-11-27T10:20:00.000Z');

const printed = (over: Record<string, string> = {}) =>
  Object.entries({
    queue_directory: folder,
    hash_queue_names: 'deferred, defer',
    hash_queue_depth: '1',
    maximal_queue_lifetime: '5d',
    bounce_queue_lifetime: '36h',
    ...over,
  })
    .map(([name, value]) => `${name} = ${value}\n`)
    .join('');

function queued(queueId: string, over: Partial<QueuedMessage> = {}): QueuedMessage {
  const queue: QueueName = 'deferred';
  const rest = { sizeBytes: 1, recipients: [], recipientCount: 1, nextAttemptAt: null, expiresAt: null };
  return { queueId, queue, arrivedAt: '2026-11-27T10:00:00.000Z', from: 'ann@harbour.example', ...rest, ...over };
}

const fail = (error: unknown) => {
  throw error;
};

/** A file of the deferred queue whose next attempt is at NEXT. */
function makeFile(...path: string[]): void {
  const file = join(folder, 'deferred', ...path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  utimesSync(file, NEXT, NEXT);
}

it.each([
  ['a short queue ID', 'A3F21B04C9', '1', ['A', 'A3F21B04C9']],
  // 5xXV are the microseconds: 837,018 in base 52, which is CC59A.
  ['a long queue ID', '4jWsM35xXVzMFgn', '2', ['C', 'C', '4jWsM35xXVzMFgn']],
  ['two levels', '4F2A1B04C9', '2', ['4', 'F', '4F2A1B04C9']],
  ['no levels', '4F2A1B04C9', '0', ['4F2A1B04C9']],
])('finds the next attempt by %s', async (_name, queueId, depth, path) => {
  makeFile(...path);
  const settings = parseQueueSettings(printed({ hash_queue_depth: depth }));
  const [message] = await withTimes([queued(queueId)], settings, fail);
  expect(message?.nextAttemptAt).toBe(NEXT.toISOString());
});

it('gives messages up by their lifetimes, which differ for those without a sender', async () => {
  const settings = parseQueueSettings(printed({ maximal_queue_lifetime: '3' }));
  const [message, bounce] = await withTimes([queued('A1'), queued('A2', { from: '' })], settings, fail);
  expect(message?.expiresAt).toBe('2026-11-30T10:00:00.000Z');
  expect(bounce?.expiresAt).toBe('2026-11-28T22:00:00.000Z');
});

it('knows no time to give up what is on hold, or of a lifetime of another form, and still the next attempt', async () => {
  makeFile('A', 'A1');
  const settings = parseQueueSettings(printed({ maximal_queue_lifetime: '$lifetime' }));
  const messages = [
    queued('A1'),
    queued('A2', { queue: 'active', from: '' }),
    queued('A3', { queue: 'hold', from: '' }),
  ];
  const times = await withTimes(messages, settings, fail);
  expect(times.map(({ expiresAt }) => expiresAt)).toEqual([null, '2026-11-28T22:00:00.000Z', null]);
  expect(times[0]?.nextAttemptAt).toBe(NEXT.toISOString());
});

it('knows no next attempt where its file can’t be read', async () => {
  // The folder that has it is a file.
  makeFile('A');
  const warnings: string[] = [];
  const [message] = await withTimes([queued('A1')], parseQueueSettings(printed()), (_, text) => warnings.push(text));
  expect(warnings).toEqual(['the next attempt of A1 is unknown']);
  expect(message).toMatchObject({ nextAttemptAt: null, expiresAt: '2026-12-02T10:00:00.000Z' });
});

it('knows no next attempt of what is active or on hold, or has left the queue', async () => {
  makeFile('A', 'A1');
  const messages = [queued('A1', { queue: 'active' }), queued('A1', { queue: 'hold' }), queued('A9')];
  const times = await withTimes(messages, parseQueueSettings(printed()), fail);
  expect(times.map(({ nextAttemptAt }) => nextAttemptAt)).toEqual([null, null, null]);
});

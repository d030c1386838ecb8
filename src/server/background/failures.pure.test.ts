import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { log } from '../log';
import { StoreError } from '../object-store/port';
import { failureLog } from './failures';

const AWAY = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
let nowMs = 0;
const now = () => nowMs;

const written = {
  error: vi.spyOn(log, 'error').mockImplementation(() => {}),
  warn: vi.spyOn(log, 'warn').mockImplementation(() => {}),
  info: vi.spyOn(log, 'info').mockImplementation(() => {}),
};
const counts = () => Object.values(written).map((spy) => spy.mock.calls.length);

beforeEach(() => {
  nowMs = 0;
  failureLog('another task', now).succeeded();
});

afterEach(() => {
  vi.clearAllMocks();
});

it('logs the first failure with its error, and when the task works again', () => {
  const failures = failureLog('a task', now);
  failures.failed(new Error('broken'));
  failures.failed(new Error('broken'));
  expect(counts()).toEqual([1, 0, 0]);
  failures.succeeded();
  failures.succeeded();
  expect(counts()).toEqual([1, 0, 1]);
});

it('logs a full disk without a stack trace', () => {
  failureLog('a task', now).failed(new StoreError('full', 'The disk is full.'));
  expect(written.error.mock.calls).toEqual([
    [{ task: 'a task', reason: 'The disk is full.' }, 'repeating task failed, retrying'],
  ]);
});

it('a database that is away for a moment is not logged', () => {
  const failures = failureLog('a task', now);
  failures.failed(AWAY);
  nowMs = 14_000;
  failures.failed(AWAY);
  failures.succeeded();
  nowMs = 20_000;
  failures.failed(AWAY);
  expect(counts()).toEqual([0, 0, 0]);
});

it('a database that stays away is logged in one line for all tasks, without a stack trace', () => {
  const all = ['a task', 'a second task', 'a third task'].map((task) => failureLog(task, now));
  for (nowMs = 0; nowMs <= 60_000; nowMs += 5_000) for (const { failed } of all) failed(AWAY);
  expect(counts()).toEqual([0, 1, 0]);
  expect(written.warn.mock.calls).toEqual([
    [{ task: 'a task', reason: 'connect ECONNREFUSED' }, 'the database is not responding, repeating tasks retry'],
  ]);
  for (const { succeeded } of all) succeeded();
  expect(counts()).toEqual([0, 1, 1]);
});

it('a task that alone runs into timeouts is logged while others work', () => {
  const failures = failureLog('a slow task', now);
  const other = failureLog('a task', now);
  for (nowMs = 0; nowMs <= 60_000; nowMs += 5_000) {
    failures.failed(Object.assign(new Error('canceling statement'), { code: '57014' }));
    other.succeeded();
  }
  expect(counts()).toEqual([0, 1, 0]);
});

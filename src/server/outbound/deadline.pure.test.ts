import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startDeadline } from './deadline';

const LATE = new Error('too late');

it('ends what waits for it with one reason, by function and by signal', async () => {
  const deadline = startDeadline(10, () => LATE);
  const { signal } = deadline;
  const reason = await new Promise((resolve) => deadline.onReached(resolve));
  expect([reason, deadline.reached, signal.reason]).toEqual([LATE, LATE, LATE]);
});

it('ends at once what begins to wait after it', async () => {
  const deadline = startDeadline(0, () => LATE);
  await sleep(20);
  expect(deadline.signal.reason).toBe(LATE);
  expect(await new Promise((resolve) => deadline.onReached(resolve))).toBe(LATE);
});

it('ends nothing that no longer waits, or after it was cleared', async () => {
  const ended: string[] = [];
  const one = startDeadline(10, () => LATE);
  one.onReached(() => ended.push('forgotten'))();
  const other = startDeadline(10, () => LATE);
  other.onReached(() => ended.push('cleared'));
  other.clear();
  await sleep(50);
  expect(ended).toEqual([]);
  expect([one.reached, other.reached]).toEqual([LATE, null]);
});

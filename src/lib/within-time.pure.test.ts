import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { withinTime } from './within-time';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

const untilAborted = (signal: AbortSignal) =>
  new Promise<unknown>((resolve) => signal.addEventListener('abort', () => resolve(signal.reason), { once: true }));

it('aborts once the time is up, also if garbage was collected meanwhile', async () => {
  const ended = withinTime(new AbortController().signal, 100, (signal) => untilAborted(AbortSignal.any([signal])));
  for (let turn = 0; turn < 5; turn++) {
    await nextTurn();
    collectGarbage();
  }
  expect(await ended).toMatchObject({ name: 'TimeoutError' });
});

it('aborts with its signal, also with one that has aborted already, and gives what the work gives', async () => {
  const ending = new AbortController();
  const ended = withinTime(ending.signal, 60_000, untilAborted);
  ending.abort('over');
  expect(await ended).toBe('over');
  expect(await withinTime(ending.signal, 60_000, async ({ aborted }) => aborted)).toBe(true);
  await expect(withinTime(new AbortController().signal, 60_000, () => Promise.reject('failed'))).rejects.toBe('failed');
});

import { expect, it } from 'vitest';
import { countInFlight, WAIT_FOR_SENDS } from './in-flight';

it('statements wait for half as many messages as are under way to the mail server and back', async () => {
  expect(WAIT_FOR_SENDS.enough()).toBe(0);
  const replies: { accept: () => void; fail: (error: Error) => void }[] = [];
  const submissions = Array.from({ length: 8 }, () =>
    countInFlight(() => new Promise<void>((accept, fail) => replies.push({ accept, fail }))),
  );
  expect(WAIT_FOR_SENDS.enough()).toBe(4);
  for (const { accept } of replies.slice(0, 5)) accept();
  await Promise.all(submissions.slice(0, 5));
  expect(WAIT_FOR_SENDS.enough()).toBe(1);
  for (const { fail } of replies) fail(new Error('away'));
  await Promise.allSettled(submissions);
  expect(WAIT_FOR_SENDS.enough()).toBe(0);
});

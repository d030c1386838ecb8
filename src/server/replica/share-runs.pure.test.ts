import { expect, it } from 'vitest';
import { shareRuns } from './reads';

it('calls that come during a run share one more run, which begins after all of them', async () => {
  const share = shareRuns();
  const begun: (() => void)[] = [];
  const work = () => new Promise<void>((resolve) => begun.push(resolve));
  const calls = [share('a', work), share('a', work), share('a', work)];
  expect(begun).toHaveLength(1);
  begun[0]?.();
  await calls[0];
  await expect.poll(() => begun.length).toBe(2);
  const late = share('a', work);
  begun[1]?.();
  await Promise.all(calls);
  await expect.poll(() => begun.length).toBe(3);
  begun[2]?.();
  await late;
});

it('a call runs although the one before failed, and others wait for nothing', async () => {
  const share = shareRuns();
  const failing = share('a', () => Promise.reject(new Error('away')));
  const next = share('a', () => Promise.resolve());
  await share('b', () => Promise.resolve());
  await expect(failing).rejects.toThrow('away');
  await next;
});

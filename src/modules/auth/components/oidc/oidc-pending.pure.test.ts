import { expect, it } from 'vitest';
import { readPendingFromFragment } from './oidc-pending';

it('reads a pending sign-in, with five minutes by the clock of the browser', () => {
  const pending = readPendingFromFragment('#totp_session=abc-_');
  expect(pending).toEqual({ token: 'abc-_', email: null, since: expect.any(String), expiresAt: expect.any(String) });
  const [since, expiresAt] = [Date.parse(pending?.since ?? ''), Date.parse(pending?.expiresAt ?? '')];
  expect(Math.abs(Date.now() - since)).toBeLessThan(10_000);
  expect(expiresAt - since).toBe(300_000);
});

it.each(['', '#', '#main', '#totp_session='])('ignores %j', (hash) => {
  expect(readPendingFromFragment(hash)).toBeNull();
});

import { expect, it } from 'vitest';
import { readPendingFromFragment } from './oidc-pending';

it('reads a pending sign-in', () => {
  const hash = '#totp_session=abc-_&expires_at=2026-11-21T09%3A41%3A07.000Z';
  expect(readPendingFromFragment(hash)).toEqual({
    token: 'abc-_',
    expiresAt: '2026-11-21T09:41:07.000Z',
    email: null,
    since: expect.any(String),
  });
});

it.each([
  '',
  '#',
  '#main',
  '#totp_session=abc',
  '#expires_at=2026-11-21T09:41:07.000Z',
  '#totp_session=a&expires_at=soon',
])('ignores %j', (hash) => {
  expect(readPendingFromFragment(hash)).toBeNull();
});

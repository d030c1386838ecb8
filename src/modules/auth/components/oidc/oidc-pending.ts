import type { PendingSignIn } from '../sign-in/pending-sign-in';

/** Reads the pending sign-in that still needs a code from `window.location.hash`. */
export function readPendingFromFragment(hash: string): PendingSignIn | null {
  const fragment = new URLSearchParams(hash.replace(/^#/, ''));
  const token = fragment.get('totp_session');
  const expiresAt = fragment.get('expires_at');
  if (!token || !expiresAt || Number.isNaN(Date.parse(expiresAt))) return null;
  return { token, expiresAt, email: null, since: new Date().toISOString() };
}

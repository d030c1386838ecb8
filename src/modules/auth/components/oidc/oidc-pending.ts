import { newPendingSignIn, type PendingSignIn } from '../sign-in/pending-sign-in';

/** Reads the pending sign-in that still needs a code from `window.location.hash`. */
export function readPendingFromFragment(hash: string): PendingSignIn | null {
  const token = new URLSearchParams(hash.replace(/^#/, '')).get('totp_session');
  return token ? newPendingSignIn(token, null) : null;
}

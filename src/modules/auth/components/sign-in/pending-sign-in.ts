/** How long a code can be entered (src/modules/auth/totp/pending.ts). */
export const LIFETIME_SECONDS = 300;

/** A sign-in after its first step that needs a code. */
export type PendingSignIn = {
  token: string;
  /** Null if an identity provider was the first step. */
  email: string | null;
  /** Both times are of the browser's clock, which the server's may differ from by hours. */
  since: string;
  expiresAt: string;
};

/** Returns a sign-in whose first step has just been passed. */
export function newPendingSignIn(token: string, email: string | null): PendingSignIn {
  const now = Date.now();
  const expiresAt = new Date(now + LIFETIME_SECONDS * 1000).toISOString();
  return { token, email, since: new Date(now).toISOString(), expiresAt };
}

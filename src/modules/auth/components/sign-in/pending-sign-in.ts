/** A sign-in after its first step that needs a code. */
export type PendingSignIn = {
  token: string;
  expiresAt: string;
  /** Null if an identity provider was the first step. */
  email: string | null;
  since: string;
};

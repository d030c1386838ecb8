'use client';

import { type ReactNode, useState } from 'react';
import type { Problem } from '@/components/api/problem';
import { CodeForm } from './code-form';
import { LoginForm } from './login-form';

/** A sign-in that has passed its first step and waits for a code. */
export type PendingSignIn = {
  token: string;
  expiresAt: string;
  /** Null where an identity provider, and not this form, has proved who it is. */
  email: string | null;
  since: string;
};

type SignInProps = {
  email?: string;
  pending: PendingSignIn | null;
  onPending: (pending: PendingSignIn | null) => void;
  onSignedIn: () => void;
  /** Other ways in, below the password. */
  children?: ReactNode;
};

/** Both steps of signing in. */
export function SignIn({ email, pending, onPending, onSignedIn, children }: SignInProps) {
  const [notice, setNotice] = useState<Problem | null>(null);
  if (pending) {
    return (
      <CodeForm
        key={pending.token}
        pending={pending}
        onSignedIn={onSignedIn}
        onBack={(problem) => {
          setNotice(problem);
          onPending(null);
        }}
      />
    );
  }
  return (
    <>
      <LoginForm email={email} notice={notice} onSignedIn={onSignedIn} onPending={onPending} />
      {children}
    </>
  );
}

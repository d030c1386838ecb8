'use client';

import { type ReactNode, useState } from 'react';
import type { Problem } from '@/components/api/problem';
import { CodeForm } from './code-form';
import { LoginForm } from './login-form';

/** A sign-in after its first step that needs a code. */
export type PendingSignIn = {
  token: string;
  expiresAt: string;
  /** Null if an identity provider was the first step. */
  email: string | null;
  since: string;
};

type SignInProps = {
  email?: string;
  pending: PendingSignIn | null;
  onPending: (pending: PendingSignIn | null) => void;
  onSignedIn: () => void;
  /** Other sign-in methods, below the password. */
  children?: ReactNode;
};

/** Both steps of sign-in. */
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

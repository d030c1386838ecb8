'use client';

import dynamic from 'next/dynamic';
import { type ReactNode, useState } from 'react';
import type { Problem } from '@/components/api/problem';
import { loadPart } from '@/components/load-part';
import { LoginForm } from './login-form';
import type { PendingSignIn } from './pending-sign-in';

/** Loaded with the second step. */
const CodeForm = dynamic(() => loadPart(import('./code-form').then((module) => module.CodeForm)));

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

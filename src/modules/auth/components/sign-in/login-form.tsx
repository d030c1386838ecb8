'use client';

import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import type { PendingSignIn } from './sign-in';
import { useWait } from './use-wait';

type LoginFormProps = {
  email?: string;
  notice?: Problem | null;
  onSignedIn: () => void;
  onPending: (pending: PendingSignIn) => void;
};

/** The first step: email and password. */
export function LoginForm({ email = '', notice = null, onSignedIn, onPending }: LoginFormProps) {
  const [problem, setProblem] = useState<Problem | null>(notice);
  const form = useForm({
    initialValues: { email, password: '' },
    validate: {
      email: (value) => (value.trim() === '' ? 'Enter your email address.' : null),
      password: (value) => (value === '' ? 'Enter your password.' : null),
    },
  });
  const waitSeconds = useWait(problem);
  const login = trpc.auth.login.useMutation({
    onSuccess: (answer, input) => {
      if (!('requires_totp' in answer)) return onSignedIn();
      onPending({
        token: answer.totp_session,
        expiresAt: answer.expires_at,
        email: input.email ?? null,
        since: new Date().toISOString(),
      });
    },
    onError: (error) => setProblem(applyFieldErrors(toProblem(error), form, { email: 'email', password: 'password' })),
  });

  return (
    <form
      noValidate
      onSubmit={form.onSubmit((values) => {
        setProblem(null);
        login.mutate({ email: values.email.trim(), password: values.password });
      })}
    >
      <Stack>
        <ProblemAlert problem={problem} />
        <TextInput
          label="Email"
          type="email"
          autoComplete="username"
          data-autofocus={email === '' || undefined}
          key={form.key('email')}
          {...form.getInputProps('email')}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
          data-autofocus={email !== '' || undefined}
          key={form.key('password')}
          {...form.getInputProps('password')}
        />
        <Button variant="filled" type="submit" fullWidth loading={login.isPending} disabled={waitSeconds > 0}>
          {waitSeconds > 0 ? `Sign in (wait ${waitSeconds} s)` : 'Sign in'}
        </Button>
      </Stack>
    </form>
  );
}

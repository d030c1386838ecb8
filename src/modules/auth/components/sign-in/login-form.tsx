'use client';

import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import type { Problem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { Login } from '../../schema';
import type { PendingSignIn } from './pending-sign-in';
import { useWait } from './use-wait';

type LoginFormProps = {
  email?: string;
  notice?: Problem | null;
  onSignedIn: () => void;
  onPending: (pending: PendingSignIn) => void;
};

/** The first step: email and password. */
export function LoginForm({ email = '', notice = null, onSignedIn, onPending }: LoginFormProps) {
  const login = trpc.auth.login.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: Login,
    initialValues: { email, password: '' },
    initialProblem: notice,
    toInput: (values) => trimmed(values, ['email']),
    submit: (input) => login.mutateAsync(input),
    onSaved: (answer, values) => {
      if (!('requires_totp' in answer)) return onSignedIn();
      onPending({
        token: answer.totp_session,
        expiresAt: answer.expires_at,
        email: values.email.trim(),
        since: new Date().toISOString(),
      });
    },
  });
  const waitSeconds = useWait(problem);

  return (
    <form noValidate onSubmit={onSubmit}>
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
        <Button variant="filled" type="submit" fullWidth loading={isBusy} disabled={waitSeconds > 0}>
          {waitSeconds > 0 ? `Sign in (wait ${waitSeconds} s)` : 'Sign in'}
        </Button>
      </Stack>
    </form>
  );
}

'use client';

import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { PASSWORD_RULE, passwordError } from '@/lib/password';
import { Lead } from '../postcard';

type SetupAdminProps = { token: string; isReady: boolean; onDone: (email: string) => void };

export function SetupAdmin({ token, isReady, onDone }: SetupAdminProps) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({
    initialValues: { email: '', password: '', repeated: '' },
    validate: {
      email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : 'Enter an email address.'),
      password: passwordError,
      repeated: (value, values) => (value === values.password ? null : 'The passwords don’t match.'),
    },
  });
  const setup = trpc.auth.setup.useMutation({
    onSuccess: () => onDone(form.values.email.trim()),
    onError: (error) => setProblem(applyFieldErrors(toProblem(error), form, { email: 'email', password: 'password' })),
  });
  const toggle = { 'aria-label': 'Show password' };

  return (
    <>
      <h1>Set up Postroom</h1>
      <Lead>Create the first admin account.</Lead>
      <form
        noValidate
        onSubmit={form.onSubmit(({ email, password }) => {
          setProblem(null);
          setup.mutate({ token, email: email.trim(), password });
        })}
      >
        <Stack>
          <ProblemAlert problem={problem} />
          <TextInput label="Email" type="email" autoComplete="username" {...form.getInputProps('email')} />
          <PasswordInput
            label="Password"
            description={PASSWORD_RULE}
            autoComplete="new-password"
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label="Confirm password"
            autoComplete="new-password"
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps('repeated')}
          />
          <Button variant="filled" type="submit" fullWidth loading={setup.isPending} disabled={!isReady}>
            Create admin
          </Button>
        </Stack>
      </form>
    </>
  );
}

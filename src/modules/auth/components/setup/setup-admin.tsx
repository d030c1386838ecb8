'use client';

import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useRef } from 'react';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { useEarlyInput } from '@/components/forms/use-early-input';
import { PASSWORD_RULE } from '@/lib/access/password';
import { SetupForm } from '../../schema';
import { Lead } from '../postcard';

type SetupAdminProps = { token: string; isReady: boolean; onDone: () => void };

export function SetupAdmin({ token, isReady, onDone }: SetupAdminProps) {
  const setup = trpc.auth.setup.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: SetupForm,
    initialValues: { email: '', password: '', repeated: '' },
    toInput: (values) => ({ token, ...trimmed(values, ['email']) }),
    submit: ({ email, password }) => setup.mutateAsync({ token, email, password }),
    onSaved: onDone,
  });
  const element = useRef<HTMLFormElement>(null);
  useEarlyInput(element, form.setValues);
  const toggle = { 'aria-label': 'Show password' };

  return (
    <>
      <h1>Set up Postroom</h1>
      <Lead>Create the first admin account.</Lead>
      {/* Sent before the scripts run, it would have the password in its URL without the method. */}
      <form noValidate method="post" ref={element} onSubmit={onSubmit}>
        <Stack>
          <ProblemAlert problem={problem} />
          <TextInput
            label="Email"
            name="email"
            type="email"
            autoComplete="username"
            data-autofocus
            {...form.getInputProps('email')}
          />
          <PasswordInput
            label="Password"
            name="password"
            description={PASSWORD_RULE}
            autoComplete="new-password"
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps('password')}
          />
          <PasswordInput
            label="Confirm password"
            name="repeated"
            autoComplete="new-password"
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps('repeated')}
          />
          <Button variant="filled" type="submit" fullWidth loading={isBusy} disabled={!isReady}>
            Create admin
          </Button>
        </Stack>
      </form>
    </>
  );
}

'use client';

import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type FormEvent, useRef, useState } from 'react';
import { type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { matchProblem } from '@/components/forms/field-errors';
import { fieldsOf, useEarlyInput } from '@/components/forms/use-early-input';
import { MISSING } from '../../missing';
import type { LoginAnswer } from '../../schema';
import { callProcedure } from './call-procedure';
import { newPendingSignIn, type PendingSignIn } from './pending-sign-in';
import { useWait } from './use-wait';

type LoginFormProps = {
  email?: string;
  notice?: Problem | null;
  onSignedIn: () => void;
  onPending: (pending: PendingSignIn) => void;
};

type Errors = { email?: string; password?: string };

/** The first step: email and password. Without `useApiForm`, whose libraries would double what the sign-in page adds to React. */
export function LoginForm({ email: given = '', notice = null, onSignedIn, onPending }: LoginFormProps) {
  const element = useRef<HTMLFormElement>(null);
  const [email, setEmail] = useState(given);
  const [password, setPassword] = useState('');
  const [errors, setErrors] = useState<Errors>({});
  const [problem, setProblem] = useState(notice);
  const [isBusy, setIsBusy] = useState(false);
  const waitSeconds = useWait(problem);

  const take = (fields: Record<string, string>) => {
    const given = { email: fields.email ?? '', password: fields.password ?? '' };
    setEmail(given.email);
    setPassword(given.password);
    return given;
  };
  useEarlyInput(element, take);

  const showErrors = (found: Errors) => {
    setErrors(found);
    const [name] = Object.keys(found);
    if (name) element.current?.querySelector<HTMLInputElement>(`[name="${name}"]`)?.focus();
  };

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || waitSeconds > 0) return;
    const entered = take(fieldsOf(element.current));
    const values = { ...entered, email: entered.email.trim() };
    setProblem(null);
    showErrors(missingIn(values));
    if (Object.keys(missingIn(values)).length > 0) return;
    setIsBusy(true);
    try {
      const answer = await callProcedure<LoginAnswer>('auth.login', values);
      if (!('requires_totp' in answer)) return onSignedIn();
      onPending(newPendingSignIn(answer.totp_session, values.email));
    } catch (error) {
      const messageOf = ({ message }: { message: string }) => message;
      const { matched, unmatched } = matchProblem(toProblem(error), { values, input: values, messageOf });
      setProblem(unmatched);
      showErrors(matched);
      setIsBusy(false);
    }
  };

  return (
    // Sent before the scripts run, it would have the password in its URL without the method.
    <form noValidate method="post" ref={element} onSubmit={submit}>
      <Stack>
        <ProblemAlert problem={problem} />
        <TextInput
          label="Email"
          name="email"
          type="email"
          autoComplete="username"
          data-autofocus={given === '' || undefined}
          error={errors.email}
          value={email}
          onChange={(event) => {
            setEmail(event.currentTarget.value);
            setErrors((before) => ({ ...before, email: undefined }));
          }}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
          data-autofocus={given !== '' || undefined}
          error={errors.password}
          value={password}
          onChange={(event) => {
            setPassword(event.currentTarget.value);
            setErrors((before) => ({ ...before, password: undefined }));
          }}
        />
        <Button variant="filled" type="submit" fullWidth loading={isBusy} disabled={waitSeconds > 0}>
          {waitSeconds > 0 ? `Sign in (wait ${waitSeconds} s)` : 'Sign in'}
        </Button>
      </Stack>
    </form>
  );
}

function missingIn({ email, password }: { email: string; password: string }): Errors {
  return {
    ...(email === '' && { email: MISSING.email }),
    ...(password === '' && { password: MISSING.password }),
  };
}

'use client';

import { Button, PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useEffect, useState } from 'react';
import { landOnFields, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';

type LoginFormProps = { email?: string; onSignedIn: () => void };

export function LoginForm({ email = '', onSignedIn }: LoginFormProps) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({
    initialValues: { email, password: '' },
    validate: {
      email: (value) => (value.trim() === '' ? 'Enter your email.' : null),
      password: (value) => (value === '' ? 'Enter your password.' : null),
    },
  });
  const waitSeconds = useWait(problem);
  const login = trpc.auth.login.useMutation({
    onSuccess: onSignedIn,
    onError: (error) => setProblem(landOnFields(toProblem(error), form, { email: 'email', password: 'password' })),
  });

  return (
    <form
      className="stack"
      noValidate
      onSubmit={form.onSubmit((values) => {
        setProblem(null);
        login.mutate({ email: values.email.trim(), password: values.password });
      })}
    >
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
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        data-autofocus={email !== '' || undefined}
        key={form.key('password')}
        {...form.getInputProps('password')}
      />
      <Button variant="filled" type="submit" fullWidth loading={login.isPending} disabled={waitSeconds > 0}>
        {waitSeconds > 0 ? `Sign in (wait ${waitSeconds} s)` : 'Sign in'}
      </Button>
    </form>
  );
}

function useWait(problem: Problem | null): number {
  const [left, setLeft] = useState(0);
  const seconds = problem?.status === 429 ? retryAfter(problem) : 0;

  useEffect(() => {
    setLeft(seconds);
    if (seconds === 0) return;
    const timer = setInterval(() => setLeft((value) => Math.max(0, value - 1)), 1000);
    return () => clearInterval(timer);
  }, [seconds]);

  return left;
}

function retryAfter({ details }: Problem): number {
  const seconds = details.retry_after ?? details.retry_after_seconds;
  return typeof seconds === 'number' && seconds > 0 ? Math.ceil(seconds) : 0;
}

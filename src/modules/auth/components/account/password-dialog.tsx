'use client';

import { PasswordInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { PASSWORD_RULE, passwordError } from '@/lib/password';

const EMPTY = { current: '', next: '', repeated: '' };
const FIELDS = { current_password: 'current', new_password: 'next' };

type PasswordDialogProps = { opened: boolean; onClose: () => void };

export function PasswordDialog({ opened, onClose }: PasswordDialogProps) {
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({
    initialValues: EMPTY,
    validate: {
      current: (value) => (value === '' ? 'Enter your current password.' : null),
      next: passwordError,
      repeated: (value, values) => (value === values.next ? null : 'The passwords don’t match.'),
    },
  });
  const close = () => {
    form.reset();
    setProblem(null);
    onClose();
  };
  const change = trpc.auth.changePassword.useMutation({
    onSuccess: async () => {
      await utils.auth.sessions.invalidate();
      close();
    },
    onError: (error) => {
      const refused = toProblem(error);
      if (refused.code === 'INVALID_CREDENTIALS') form.setFieldError('current', refused.message);
      else setProblem(applyFieldErrors(refused, form, FIELDS));
    },
  });
  const toggle = { 'aria-label': 'Show password' };

  return (
    <Dialog
      opened={opened}
      title="Change password"
      action="Change password"
      isBusy={change.isPending}
      onClose={close}
      onSubmit={form.onSubmit(({ current, next }) => {
        setProblem(null);
        change.mutate({ current_password: current, new_password: next });
      })}
    >
      <p className="soft">Your other sessions are signed out. API keys keep working.</p>
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        visibilityToggleButtonProps={toggle}
        data-autofocus
        {...form.getInputProps('current')}
      />
      <PasswordInput
        label="New password"
        description={PASSWORD_RULE}
        autoComplete="new-password"
        visibilityToggleButtonProps={toggle}
        {...form.getInputProps('next')}
      />
      <PasswordInput
        label="Confirm new password"
        autoComplete="new-password"
        visibilityToggleButtonProps={toggle}
        {...form.getInputProps('repeated')}
      />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

'use client';

import { Button, PasswordInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { StatusMark } from '@/components/marks/status-mark';
import { SettingsSection } from '@/components/settings-section';
import { PASSWORD_RULE, passwordError } from '@/lib/password';
import type { Admin } from '../schema';

export function AdminSignIn({ admin }: { admin: Admin }) {
  return (
    <>
      <SettingsSection title="Password" hint="For somebody who lost it. It ends their sessions.">
        <NewPasswordForm admin={admin} />
      </SettingsSection>
      <SettingsSection
        title="Two-step sign-in"
        hint="For somebody who lost the app and the recovery codes."
        state={<StatusMark status={admin.totp_enabled ? 'on' : 'off'}>{admin.totp_enabled ? 'On' : 'Off'}</StatusMark>}
      >
        <ResetTotp admin={admin} />
      </SettingsSection>
    </>
  );
}

function NewPasswordForm({ admin }: { admin: Admin }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({ initialValues: { password: '' }, validate: { password: passwordError } });
  const update = trpc.admins.update.useMutation({
    onSuccess: () => form.reset(),
    onError: (error) => setProblem(applyFieldErrors(toProblem(error), form, { password: 'password' })),
  });
  return (
    <form
      className="form-column"
      noValidate
      onSubmit={form.onSubmit(({ password }) => {
        setProblem(null);
        update.mutate({ id: admin.id, password });
      })}
    >
      <PasswordInput
        label="New password"
        description={PASSWORD_RULE}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': 'Show the password' }}
        {...form.getInputProps('password')}
      />
      <ProblemAlert problem={problem} />
      <div className="form-footer">
        <Button type="submit" loading={update.isPending} disabled={form.values.password === ''}>
          Set the password
        </Button>
        <span className="quiet" role="status">
          {update.isSuccess && form.values.password === '' ? 'The new password is set' : ''}
        </span>
      </div>
    </form>
  );
}

function ResetTotp({ admin }: { admin: Admin }) {
  const utils = trpc.useUtils();
  const [opened, dialog] = useDisclosure(false);
  const reset = trpc.admins.resetTotp.useMutation({
    onSuccess: async () => {
      await Promise.all([utils.admins.invalidate(), utils.auth.me.invalidate()]);
      dialog.close();
    },
  });
  return (
    <div className="form-column">
      <p className="soft">
        {admin.totp_enabled
          ? 'A code is asked for after their password.'
          : 'Their password alone signs them in. Only they can set up an app, on their account page.'}
      </p>
      <div>
        <Button className="danger" disabled={!admin.totp_enabled} onClick={dialog.open}>
          Reset
        </Button>
      </div>
      <ConfirmDialog
        opened={opened}
        title="Reset two-step sign-in"
        action="Reset it"
        problem={reset.error ? toProblem(reset.error) : null}
        isBusy={reset.isPending}
        onClose={() => {
          reset.reset();
          dialog.close();
        }}
        onConfirm={() => reset.mutate({ id: admin.id })}
      >
        <p className="soft">
          From now on the password alone signs <b className="strong">{admin.email}</b> in, and their sessions end. Be
          sure that it is them who asks.
        </p>
      </ConfirmDialog>
    </div>
  );
}

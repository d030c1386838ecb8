'use client';

import { Checkbox, PasswordInput } from '@mantine/core';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { AccountName } from '@/components/forms/account-name';
import { useApiForm } from '@/components/forms/use-api-form';
import { PASSWORD_RULE } from '@/lib/access/password';
import { ChangePasswordForm } from '../../schema';

type PasswordDialogProps = { opened: boolean; onClose: () => void };

export function PasswordDialog({ opened, onClose }: PasswordDialogProps) {
  const utils = trpc.useUtils();
  const me = trpc.auth.me.useQuery({});
  const change = trpc.auth.changePassword.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: ChangePasswordForm,
    initialValues: { current_password: '', new_password: '', repeated: '', revoke_api_keys: false },
    submit: ({ repeated: _, ...input }) => change.mutateAsync(input),
    onSaved: async () => {
      await Promise.all([utils.auth.sessions.invalidate(), utils.apiKeys.list.invalidate()]);
      onClose();
    },
  });
  const toggle = { 'aria-label': 'Show password' };

  return (
    <Dialog
      opened={opened}
      title="Change password"
      action="Change password"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <p className="soft">
        Your other sessions are signed out. Your API keys keep working unless you revoke them, and so does a linked
        identity until you disconnect it.
      </p>
      <AccountName name={me.data?.email ?? ''} />
      <PasswordInput
        label="Current password"
        autoComplete="current-password"
        visibilityToggleButtonProps={toggle}
        data-autofocus
        {...form.getInputProps('current_password')}
      />
      <PasswordInput
        label="New password"
        description={PASSWORD_RULE}
        autoComplete="new-password"
        visibilityToggleButtonProps={toggle}
        {...form.getInputProps('new_password')}
      />
      <PasswordInput
        label="Confirm new password"
        autoComplete="new-password"
        visibilityToggleButtonProps={toggle}
        {...form.getInputProps('repeated')}
      />
      <Checkbox
        label="Revoke all my API keys"
        description="Applications that use them lose access immediately."
        {...form.getInputProps('revoke_api_keys', { type: 'checkbox' })}
      />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

'use client';

import { Button, Checkbox } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { SecretDialog } from '@/components/dialogs/secret-dialog';
import { SetPasswordForm } from '@/components/forms/set-password-form';
import { useApiForm } from '@/components/forms/use-api-form';
import { FormColumn } from '@/components/layout/form-layout';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { SettingsSection } from '@/components/settings-section';
import { type Admin, UpdateAdmin } from '../schema';
import { twoFactorMark } from './admin-columns';
import { AdminIdentity } from './admin-identity';

type AdminSignInProps = { admin: Admin; isOwn: boolean };

/** How another admin signs in. The own credentials change on the account page, which asks for the present ones. */
export function AdminSignIn({ admin, isOwn }: AdminSignInProps) {
  if (isOwn) {
    return (
      <SettingsSection title="Sign-in" hint="Your password, second factor and identity provider.">
        <FormColumn>
          <p className="soft">
            You change how you sign in on your{' '}
            <NearLink className="act" href="/account">
              account page
            </NearLink>
            .
          </p>
        </FormColumn>
      </SettingsSection>
    );
  }
  return (
    <>
      <SettingsSection
        title="Password"
        hint={
          <>
            For an admin who lost their password. Ends their sessions.{' '}
            <NearLink href={`/api-keys?q=${encodeURIComponent(admin.email)}`}>Their API keys</NearLink> keep working
            unless you revoke them, and so does a linked identity until you disconnect it.
          </>
        }
      >
        <NewPasswordForm admin={admin} />
      </SettingsSection>
      <SettingsSection
        title="Two-factor authentication"
        hint="A code from an authenticator app after the password."
        state={
          <StatusMark status={twoFactorMark(admin.role, admin.totp_enabled)}>
            {admin.totp_enabled ? 'Enabled' : 'Disabled'}
          </StatusMark>
        }
      >
        <ResetTotp admin={admin} />
      </SettingsSection>
      <AdminIdentity admin={admin} />
    </>
  );
}

function NewPasswordForm({ admin }: { admin: Admin }) {
  const utils = trpc.useUtils();
  const [generated, setGenerated] = useState<string | null>(null);
  const [newPassword, setNewPassword] = useState<string | null>(null);
  const update = trpc.admins.update.useMutation();
  const api = useApiForm({
    schema: UpdateAdmin,
    initialValues: { password: '', revoke_api_keys: false },
    toInput: (values) => ({ id: admin.id, ...values }),
    submit: (input) => update.mutateAsync(ifUnchanged('admin', admin, input)),
    onSaved: (saved, { password }) => {
      utils.admins.get.setData({ id: admin.id }, saved);
      api.reset();
      if (password === generated) setNewPassword(password);
    },
  });
  return (
    <>
      <SetPasswordForm api={api} account={admin.email} isSaved={update.isSuccess} onGenerate={setGenerated}>
        <Checkbox
          label="Revoke all their API keys"
          description="Applications that use them lose access immediately."
          {...api.form.getInputProps('revoke_api_keys', { type: 'checkbox' })}
        />
      </SetPasswordForm>
      {newPassword && (
        <SecretDialog
          title={`Copy the password for ${admin.email}`}
          secret={newPassword}
          copyLabel="Copy password"
          onDone={() => setNewPassword(null)}
        />
      )}
    </>
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
    <FormColumn>
      <p className="soft">
        {admin.totp_enabled
          ? 'Reset it for an admin who lost the authenticator app and the recovery codes.'
          : 'Admins set it up on their own account page.'}
      </p>
      {admin.totp_enabled && (
        <div>
          <Button className="danger" onClick={dialog.open}>
            Reset two-factor
          </Button>
        </div>
      )}
      <ConfirmDialog
        opened={opened}
        title="Reset two-factor authentication"
        action="Reset two-factor"
        problem={reset.error ? toProblem(reset.error) : null}
        isBusy={reset.isPending}
        onClose={() => {
          reset.reset();
          dialog.close();
        }}
        onConfirm={() => reset.mutate({ id: admin.id })}
      >
        <p className="soft">
          The password alone will sign in <b className="strong">{admin.email}</b>, and their sessions end. Make sure
          that the request really comes from them.
        </p>
      </ConfirmDialog>
    </FormColumn>
  );
}

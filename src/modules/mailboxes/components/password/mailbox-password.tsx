'use client';

import { Button } from '@mantine/core';
import { useState } from 'react';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { PasswordField } from '@/components/forms/password-field';
import { useApiForm } from '@/components/forms/use-api-form';
import { FormColumn, FormFooter } from '@/components/layout/form-layout';
import { SettingsSection } from '@/components/settings-section';
import { type Mailbox, UpdateMailbox } from '../../schema';
import { GeneratedPasswordDialog } from './generated-password-dialog';

export function MailboxPassword({ mailbox }: { mailbox: Mailbox }) {
  const [generated, setGenerated] = useState<string | null>(null);
  const [newPassword, setNewPassword] = useState<string | null>(null);
  const utils = trpc.useUtils();
  const update = trpc.mailboxes.update.useMutation();
  const { form, problem, isBusy, onSubmit, reset } = useApiForm({
    schema: UpdateMailbox,
    initialValues: { password: '' },
    toInput: ({ password }) => ({ id: mailbox.id, password }),
    submit: (input) => update.mutateAsync(ifUnchanged('mailbox', mailbox, input)),
    onSaved: (saved, { password }) => {
      utils.mailboxes.get.setData({ id: mailbox.id }, saved);
      reset();
      if (password === generated) setNewPassword(password);
    },
  });

  return (
    <SettingsSection
      title="Password"
      hint="Replaces the current password immediately, for IMAP and SMTP. Open sessions end."
    >
      <form noValidate onSubmit={onSubmit}>
        <FormColumn>
          <PasswordField
            label="New password"
            {...form.getInputProps('password')}
            value={form.values.password}
            onGenerate={setGenerated}
          />
          <ProblemAlert problem={problem} />
          <FormFooter>
            <Button type="submit" loading={isBusy} disabled={form.values.password === ''}>
              Set password
            </Button>
            <span className="quiet" role="status">
              {update.isSuccess && form.values.password === '' ? 'Password changed' : ''}
            </span>
          </FormFooter>
        </FormColumn>
      </form>
      {newPassword && (
        <GeneratedPasswordDialog mailbox={mailbox} password={newPassword} onStored={() => setNewPassword(null)} />
      )}
    </SettingsSection>
  );
}

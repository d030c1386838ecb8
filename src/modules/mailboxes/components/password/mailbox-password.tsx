'use client';

import { useState } from 'react';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { SetPasswordForm } from '@/components/forms/set-password-form';
import { useApiForm } from '@/components/forms/use-api-form';
import { SettingsSection } from '@/components/settings-section';
import { type Mailbox, UpdateMailbox } from '../../schema';
import { GeneratedPasswordDialog } from './generated-password-dialog';

export function MailboxPassword({ mailbox }: { mailbox: Mailbox }) {
  const [generated, setGenerated] = useState<string | null>(null);
  const [newPassword, setNewPassword] = useState<string | null>(null);
  const utils = trpc.useUtils();
  const update = trpc.mailboxes.update.useMutation();
  const api = useApiForm({
    schema: UpdateMailbox,
    initialValues: { password: '' },
    toInput: ({ password }) => ({ id: mailbox.id, password }),
    submit: (input) => update.mutateAsync(ifUnchanged('mailbox', mailbox, input)),
    onSaved: (saved, { password }) => {
      utils.mailboxes.get.setData({ id: mailbox.id }, saved);
      api.reset();
      if (password === generated) setNewPassword(password);
    },
  });

  return (
    <SettingsSection
      id="password"
      title="Password"
      hint="Replaces the current password immediately, for IMAP and SMTP. Open sessions end."
    >
      <SetPasswordForm api={api} account={mailbox.email} isSaved={update.isSuccess} onGenerate={setGenerated} />
      {newPassword && (
        <GeneratedPasswordDialog mailbox={mailbox} password={newPassword} onStored={() => setNewPassword(null)} />
      )}
    </SettingsSection>
  );
}

'use client';

import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { FormColumn, FormFooter } from '@/components/layout/form-layout';
import { SettingsSection } from '@/components/settings-section';
import { passwordError } from '@/lib/password';
import type { Mailbox } from '../../schema';
import { GeneratedPasswordDialog } from './generated-password-dialog';
import { PasswordField } from './password-field';

export function MailboxPassword({ mailbox }: { mailbox: Mailbox }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [generated, setGenerated] = useState<string | null>(null);
  const [newPassword, setNewPassword] = useState<string | null>(null);
  const form = useForm({ initialValues: { password: '' }, validate: { password: passwordError } });
  const update = trpc.mailboxes.update.useMutation({
    onSuccess: (_, { password }) => {
      form.reset();
      if (password && password === generated) setNewPassword(password);
    },
    onError: (error) => setProblem(applyFieldErrors(toProblem(error), form, { password: 'password' })),
  });

  return (
    <SettingsSection title="Password" hint="Replaces the current password immediately, for IMAP and SMTP.">
      <form
        noValidate
        onSubmit={form.onSubmit(({ password }) => {
          setProblem(null);
          update.mutate({ id: mailbox.id, password });
        })}
      >
        <FormColumn>
          <PasswordField
            label="New password"
            {...form.getInputProps('password')}
            value={form.values.password}
            onGenerate={setGenerated}
          />
          <ProblemAlert problem={problem} />
          <FormFooter>
            <Button type="submit" loading={update.isPending} disabled={form.values.password === ''}>
              Set password
            </Button>
            <span className="quiet" role="status">
              {update.isSuccess && form.values.password === '' ? 'Password changed' : ''}
            </span>
          </FormFooter>
        </FormColumn>
      </form>
      {newPassword && (
        <GeneratedPasswordDialog email={mailbox.email} password={newPassword} onStored={() => setNewPassword(null)} />
      )}
    </SettingsSection>
  );
}

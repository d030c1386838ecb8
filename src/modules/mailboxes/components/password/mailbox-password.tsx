'use client';

import { Button } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { SettingsSection } from '@/components/settings-section';
import { passwordError } from '@/lib/password';
import type { Mailbox } from '../../schema';
import { PasswordField } from './password-field';
import { PasswordOnceDialog } from './password-once-dialog';

export function MailboxPassword({ mailbox }: { mailbox: Mailbox }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [made, setMade] = useState<string | null>(null);
  const [once, setOnce] = useState<string | null>(null);
  const form = useForm({ initialValues: { password: '' }, validate: { password: passwordError } });
  const update = trpc.mailboxes.update.useMutation({
    onSuccess: (_, { password }) => {
      form.reset();
      if (password && password === made) setOnce(password);
    },
    onError: (error) => setProblem(applyFieldErrors(toProblem(error), form, { password: 'password' })),
  });

  return (
    <SettingsSection title="Password" hint="It counts for reading and for sending at once; the one before is refused.">
      <form
        className="form-column"
        noValidate
        onSubmit={form.onSubmit(({ password }) => {
          setProblem(null);
          update.mutate({ id: mailbox.id, password });
        })}
      >
        <PasswordField
          label="New password"
          {...form.getInputProps('password')}
          value={form.values.password}
          onMade={setMade}
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
      {once && <PasswordOnceDialog email={mailbox.email} password={once} onStored={() => setOnce(null)} />}
    </SettingsSection>
  );
}

'use client';

import { Button, Stack } from '@mantine/core';
import { useState } from 'react';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { SecretDialog } from '@/components/dialogs/secret-dialog';
import { AddressFields } from '@/components/directory/address-fields';
import { PasswordField } from '@/components/forms/password-field';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import type { Domain } from '@/modules/domains/schema';
import { CreateMailbox } from '@/modules/mailboxes/schema';

type MailboxFormProps = { email: string; domain: Domain; onCreated: (email: string) => void };

/** The domain's first mailbox. Its suggested name is that of the admin. */
export function MailboxForm({ email, domain, onCreated }: MailboxFormProps) {
  const utils = trpc.useUtils();
  const create = trpc.mailboxes.create.useMutation();
  const [generated, setGenerated] = useState<string | null>(null);
  const [created, setCreated] = useState<{ email: string; password: string } | null>(null);
  const finish = async (address: string) => {
    await Promise.all([utils.mailboxes.list.invalidate(), utils.overview.invalidate()]);
    onCreated(address);
  };
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: CreateMailbox,
    initialValues: { local_part: email.slice(0, email.lastIndexOf('@')), domain_id: domain.id, password: '' },
    toInput: (values) => trimmed(values, ['local_part']),
    submit: (input) => create.mutateAsync(input),
    onSaved: async (mailbox, { password }) => {
      if (password === generated) setCreated({ email: mailbox.email, password });
      else await finish(mailbox.email);
    },
  });

  if (created) {
    return (
      <SecretDialog
        title={`Copy the password for ${created.email}`}
        secret={created.password}
        copyLabel="Copy password"
        onDone={() => void finish(created.email)}
      />
    );
  }
  return (
    <form noValidate onSubmit={onSubmit}>
      <Stack>
        <p className="soft">The domain has no mailbox yet. Create one to receive the test message.</p>
        <ProblemAlert problem={problem} />
        <AddressFields
          label="Address"
          local={form.getInputProps('local_part')}
          domain={{ ...form.getInputProps('domain_id'), known: domain }}
        />
        <PasswordField
          label="Password"
          account={`${form.values.local_part}@${domain.name}`}
          {...form.getInputProps('password')}
          value={form.values.password}
          onGenerate={setGenerated}
        />
        <Button variant="filled" type="submit" fullWidth loading={isBusy}>
          Create mailbox
        </Button>
      </Stack>
    </form>
  );
}

'use client';

import { TextInput } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { SecretDialog } from '@/components/dialogs/secret-dialog';
import { PasswordField } from '@/components/forms/password-field';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import type { Role } from '@/lib/access/roles';
import { CreateAdmin } from '../schema';
import { RoleFields } from './role-fields';

type AddAdminDialogProps = { opened: boolean; onClose: () => void };

export function AddAdminDialog({ opened, onClose }: AddAdminDialogProps) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const [generated, setGenerated] = useState<string | null>(null);
  const [created, setCreated] = useState<{ id: string; email: string; password: string } | null>(null);
  const create = trpc.admins.create.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: CreateAdmin,
    initialValues: { email: '', password: '', role: 'admin' as Role, domain_ids: [] as string[] },
    toInput: (values) => ({
      ...trimmed(values, ['email']),
      domain_ids: values.role === 'domain_admin' ? values.domain_ids : [],
    }),
    submit: (input) => create.mutateAsync(input),
    onSaved: async ({ id, email }, { password }) => {
      await utils.admins.list.invalidate();
      if (password === generated) setCreated({ id, email, password });
      else router.push(`/admins/${id}`);
    },
  });

  if (created) {
    return (
      <SecretDialog
        title={`Copy the password for ${created.email}`}
        secret={created.password}
        copyLabel="Copy password"
        onDone={() => router.push(`/admins/${created.id}`)}
      />
    );
  }
  return (
    <Dialog
      opened={opened}
      isInUrl
      title="Add admin"
      action="Add admin"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <TextInput label="Email" type="email" autoComplete="off" data-autofocus {...form.getInputProps('email')} />
      <PasswordField
        label="Initial password"
        hint="The admin can change it later."
        account={form.values.email}
        {...form.getInputProps('password')}
        value={form.values.password}
        onGenerate={setGenerated}
      />
      <RoleFields
        role={{ value: form.values.role, onChange: (role) => form.setFieldValue('role', role) }}
        domainIds={form.getInputProps('domain_ids')}
      />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

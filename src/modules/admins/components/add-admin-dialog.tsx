'use client';

import { PasswordInput, TextInput } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { PASSWORD_RULE } from '@/lib/password';
import type { Role } from '@/lib/roles';
import { CreateAdmin } from '../schema';
import { RoleFields } from './role-fields';

type AddAdminDialogProps = { opened: boolean; onClose: () => void };

export function AddAdminDialog({ opened, onClose }: AddAdminDialogProps) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const create = trpc.admins.create.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: CreateAdmin,
    initialValues: { email: '', password: '', role: 'admin' as Role, domain_ids: [] as string[] },
    toInput: (values) => ({
      ...trimmed(values, ['email']),
      domain_ids: values.role === 'domain_admin' ? values.domain_ids : [],
    }),
    submit: (input) => create.mutateAsync(input),
    onSaved: async ({ id }) => {
      await utils.admins.list.invalidate();
      router.push(`/admins/${id}`);
    },
  });

  return (
    <Dialog opened={opened} title="Add admin" action="Add admin" isBusy={isBusy} onClose={onClose} onSubmit={onSubmit}>
      <TextInput label="Email" type="email" autoComplete="off" data-autofocus {...form.getInputProps('email')} />
      <PasswordInput
        label="Initial password"
        description={`${PASSWORD_RULE}. The admin can change it later.`}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ 'aria-label': 'Show password' }}
        {...form.getInputProps('password')}
      />
      <RoleFields
        role={{ value: form.values.role, onChange: (role) => form.setFieldValue('role', role) }}
        domainIds={form.getInputProps('domain_ids')}
      />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

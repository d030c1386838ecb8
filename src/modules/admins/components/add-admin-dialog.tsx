'use client';

import { PasswordInput, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { PASSWORD_RULE, passwordError } from '@/lib/password';
import type { Role } from '@/lib/roles';
import { RoleFields } from './role-fields';

const FIELDS = { email: 'email', password: 'password', role: 'role', domain_ids: 'domainIds' };

type AddAdminDialogProps = { opened: boolean; onClose: () => void };

export function AddAdminDialog({ opened, onClose }: AddAdminDialogProps) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({
    initialValues: { email: '', password: '', role: 'admin' as Role, domainIds: [] as string[] },
    validate: {
      email: (value) => (/^\S+@\S+$/.test(value.trim()) ? null : 'Enter an email address.'),
      password: passwordError,
    },
  });
  const close = () => {
    form.reset();
    setProblem(null);
    onClose();
  };
  const create = trpc.admins.create.useMutation({
    onSuccess: async ({ id }) => {
      await utils.admins.list.invalidate();
      form.reset();
      router.push(`/admins/${id}`);
    },
    onError: (error) => setProblem(applyFieldErrors(toProblem(error), form, FIELDS)),
  });

  return (
    <Dialog
      opened={opened}
      title="Add admin"
      action="Add admin"
      isBusy={create.isPending}
      onClose={close}
      onSubmit={form.onSubmit(({ email, password, role, domainIds }) => {
        setProblem(null);
        const domain_ids = role === 'domain_admin' ? domainIds : [];
        create.mutate({ email: email.trim(), password, role, domain_ids });
      })}
    >
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
        domainIds={form.getInputProps('domainIds')}
        isEmpty={form.values.domainIds.length === 0}
      />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

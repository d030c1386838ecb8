'use client';

import { TextInput } from '@mantine/core';
import { useRouter } from 'next/navigation';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { CreateDomain } from '../schema';

type AddDomainDialogProps = { opened: boolean; onClose: () => void };

export function AddDomainDialog({ opened, onClose }: AddDomainDialogProps) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const create = trpc.domains.create.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: CreateDomain,
    initialValues: { name: '', description: '' },
    toInput: (values) => trimmed(values, ['name', 'description']),
    submit: (input) => create.mutateAsync(input),
    onSaved: async ({ id }) => {
      await Promise.all([utils.domains.invalidate(), utils.overview.invalidate()]);
      router.push(`/domains/${id}`);
    },
  });

  return (
    <Dialog
      opened={opened}
      isInUrl
      title="Add domain"
      action="Add domain"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <TextInput
        label="Domain"
        className="mono-input"
        placeholder="example.org"
        description="The part after the @. It can’t be renamed later."
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <TextInput label="Description (optional)" maxLength={500} {...form.getInputProps('description')} />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

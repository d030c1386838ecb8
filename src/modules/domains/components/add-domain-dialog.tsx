'use client';

import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';

type AddDomainDialogProps = { opened: boolean; onClose: () => void };

export function AddDomainDialog({ opened, onClose }: AddDomainDialogProps) {
  const router = useRouter();
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({
    initialValues: { name: '', description: '' },
    validate: { name: (value) => (value.trim() === '' ? 'Enter a domain such as example.org.' : null) },
  });
  const create = trpc.domains.create.useMutation({
    onSuccess: async ({ id }) => {
      await Promise.all([utils.domains.invalidate(), utils.overview.invalidate()]);
      form.reset();
      router.push(`/domains/${id}`);
    },
    onError: (error) => {
      const failure = toProblem(error);
      if (failure.code === 'DOMAIN_EXISTS') form.setErrors({ name: failure.message });
      else setProblem(applyFieldErrors(failure, form, { name: 'name', description: 'description' }));
    },
  });

  const close = () => {
    form.reset();
    setProblem(null);
    onClose();
  };

  return (
    <Dialog
      opened={opened}
      title="Add domain"
      action="Add domain"
      isBusy={create.isPending}
      onClose={close}
      onSubmit={form.onSubmit(({ name, description }) => {
        setProblem(null);
        create.mutate({ name: name.trim(), description: description.trim() });
      })}
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

'use client';

import { MultiSelect, NumberInput, Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { FieldPair } from '@/components/layout/form-layout';
import type { CreatedApiKey } from '../schema';

const EXPIRIES = [
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In 1 year' },
  { value: '0', label: 'Never' },
];
const FIELDS = {
  name: 'name',
  scoped_domain_ids: 'domainIds',
  rate_limit: 'rateLimit',
  expires_in_days: 'expiresInDays',
};
const DEFAULT_RATE_LIMIT = 60;

type CreateKeyDialogProps = {
  opened: boolean;
  domains: { id: string; name: string }[];
  onClose: () => void;
  onCreated: (created: CreatedApiKey) => void;
};

export function CreateKeyDialog({ opened, domains, onClose, onCreated }: CreateKeyDialogProps) {
  const utils = trpc.useUtils();
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({
    initialValues: {
      name: '',
      domainIds: [] as string[],
      rateLimit: DEFAULT_RATE_LIMIT as number | string,
      expiresInDays: '90',
    },
    validate: {
      name: (value) => (value.trim() === '' ? 'Enter a name, such as the application that will use the key.' : null),
      rateLimit: (value) => (typeof value === 'number' ? null : 'Enter the requests per minute. 0 is unlimited.'),
    },
  });
  const create = trpc.apiKeys.create.useMutation({
    onSuccess: (created) => {
      form.reset();
      onCreated(created);
      void utils.apiKeys.list.invalidate();
      void utils.overview.invalidate();
    },
    onError: (error) => setProblem(applyFieldErrors(toProblem(error), form, FIELDS)),
  });

  const close = () => {
    form.reset();
    setProblem(null);
    onClose();
  };

  return (
    <Dialog
      opened={opened}
      title="New API key"
      action="Create key"
      isBusy={create.isPending}
      onClose={close}
      onSubmit={form.onSubmit((values) => {
        setProblem(null);
        create.mutate({
          name: values.name.trim(),
          scoped_domain_ids: values.domainIds,
          rate_limit: Number(values.rateLimit),
          expires_in_days: Number(values.expiresInDays),
        });
      })}
    >
      <TextInput
        label="Name"
        description="The application that will use the key"
        maxLength={100}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('name')}
      />
      <MultiSelect
        label="Domains"
        description="Leave empty for all domains you have access to, including ones added later"
        placeholder={form.values.domainIds.length === 0 ? 'All domains' : undefined}
        className="mono-input"
        data={domains.map(({ id, name }) => ({ value: id, label: name }))}
        searchable
        hidePickedOptions
        nothingFoundMessage="No matching domains"
        {...form.getInputProps('domainIds')}
      />
      <FieldPair>
        <NumberInput
          label="Requests per minute"
          description="0 is unlimited"
          min={0}
          max={1_000_000}
          allowDecimal={false}
          hideControls
          {...form.getInputProps('rateLimit')}
        />
        <Select label="Expires" data={EXPIRIES} allowDeselect={false} {...form.getInputProps('expiresInDays')} />
      </FieldPair>
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

'use client';

import { TextInput } from '@mantine/core';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { type DomainChoice, DomainPicker } from '@/components/pickers/domain-picker';
import { CreateTemplate, type Template } from '../../schema';

/** The content of a new template, which shows how to insert values. */
const EXAMPLE = {
  subject: 'Welcome, {{ name }}',
  html_body: '<h1>Welcome, {{ name }}</h1>\n<p>Thank you for joining us.</p>\n',
  variables: [{ name: 'name', type: 'string' as const, required: true }],
  sample_data: { name: 'Ann' },
};

type NewTemplateDialogProps = {
  opened: boolean;
  defaultDomain: DomainChoice | undefined;
  onClose: () => void;
  /** Opens the template, and so leaves the dialog's page. */
  onCreated: (template: Template) => unknown;
};

export function NewTemplateDialog({ opened, defaultDomain, onClose, onCreated }: NewTemplateDialogProps) {
  const create = trpc.templates.create.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: CreateTemplate,
    initialValues: { name: '', domain_id: '' },
    toInput: (values) => ({
      ...EXAMPLE,
      ...trimmed(values, ['name']),
      domain_id: values.domain_id || (defaultDomain?.id ?? ''),
    }),
    submit: (input) => create.mutateAsync(input),
    onSaved: onCreated,
  });
  return (
    <Dialog
      opened={opened}
      isInUrl
      title="New template"
      action="Create template"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <TextInput
        label="Name"
        description="Sends can use it instead of the ID"
        className="mono-input"
        placeholder="order-confirmation"
        maxLength={100}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <DomainPicker
        placeholder="Choose a domain"
        {...form.getInputProps('domain_id')}
        value={form.values.domain_id || defaultDomain?.id}
        known={defaultDomain}
      />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

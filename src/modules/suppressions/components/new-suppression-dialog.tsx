'use client';

import { TextInput } from '@mantine/core';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { trimmed, useApiForm } from '@/components/forms/use-api-form';
import { type DomainChoice, DomainPicker } from '@/components/pickers/domain-picker';
import { useHasRole } from '@/components/shell/use-has-role';
import { CreateSuppression, type Suppression } from '../schema';

type NewSuppressionDialogProps = {
  opened: boolean;
  defaultDomain: DomainChoice | undefined;
  onClose: () => void;
  onCreated: (suppression: Suppression) => void;
};

export function NewSuppressionDialog(props: NewSuppressionDialogProps) {
  const { opened, defaultDomain, onClose, onCreated } = props;
  const canSuppressAll = useHasRole('admin');
  const create = trpc.suppressions.create.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: CreateSuppression,
    initialValues: { email: '', list: '', detail: '', domain_id: defaultDomain?.id ?? (null as string | null) },
    toInput: (values) => {
      const { list, ...input } = trimmed(values, ['email', 'list', 'detail']);
      return { ...input, list: list === '' ? null : list };
    },
    submit: (input) => create.mutateAsync(input),
    onSaved: (suppression) => {
      onClose();
      onCreated(suppression);
    },
  });

  return (
    <Dialog
      opened={opened}
      isInUrl
      title="Suppress address"
      action="Suppress address"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <TextInput
        label="Address"
        description="Tagged addresses such as ann+news@example.com are suppressed with ann@example.com."
        className="mono-input"
        placeholder="ann@example.com"
        inputMode="email"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps('email')}
      />
      <DomainPicker
        label="Applies to"
        allLabel={canSuppressAll ? 'All domains' : undefined}
        known={defaultDomain}
        {...form.getInputProps('domain_id')}
      />
      <TextInput
        label="Mailing list (optional)"
        description="Only messages of this list are suppressed."
        className="mono-input"
        placeholder="newsletter"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('list')}
      />
      <TextInput label="Note (optional)" maxLength={1000} autoComplete="off" {...form.getInputProps('detail')} />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

'use client';

import { Checkbox, Switch } from '@mantine/core';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { AddressFields } from '@/components/directory/address-fields';
import { useApiForm } from '@/components/forms/use-api-form';
import type { DomainChoice } from '@/components/pickers/domain-picker';
import { TextButton } from '@/components/text/text-button';
import { type Alias, NewAliasForm } from '../../schema';
import { rejectedAddressOf } from './alias-values';
import { DestinationsInput } from './destinations-input';

const EMPTY = { source_local_part: '', domain_id: '', is_catch_all: false, destination: '', active: true };

type NewAliasDialogProps = {
  opened: boolean;
  defaultDomain: DomainChoice | undefined;
  onClose: () => void;
  onCreated: (alias: Alias) => void;
  /** Shows the existing alias with this address. */
  onShow: (q: string, domainId: string) => void;
};

export function NewAliasDialog(props: NewAliasDialogProps) {
  const { opened, defaultDomain, onClose, onCreated, onShow } = props;
  const create = trpc.aliases.create.useMutation();
  const { form, problem, failure, isBusy, onSubmit } = useApiForm({
    schema: NewAliasForm,
    initialValues: EMPTY,
    toInput: (values) => ({
      ...values,
      source_local_part: values.is_catch_all ? '' : values.source_local_part.trim(),
      domain_id: values.domain_id || (defaultDomain?.id ?? ''),
    }),
    submit: ({ is_catch_all, ...input }) => create.mutateAsync(input),
    onSaved: (alias) => {
      onClose();
      onCreated(alias);
    },
  });
  const { is_catch_all: isCatchAll, source_local_part: source } = form.values;
  const domainId = form.values.domain_id || (defaultDomain?.id ?? '');

  const show = () => {
    onClose();
    onShow(isCatchAll ? '' : source.trim(), domainId);
  };
  const message = form.errors.source_local_part;
  const isTaken = message && failure?.code === 'CONFLICT';
  const sourceError = isTaken ? <AddressTaken message={failure.message} onShow={show} /> : message;

  return (
    <Dialog
      opened={opened}
      isInUrl
      title="New alias"
      action="Create alias"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <AddressFields
        label="Address"
        local={{ ...form.getInputProps('source_local_part'), error: !isCatchAll && sourceError }}
        domain={{ ...form.getInputProps('domain_id'), value: domainId, known: defaultDomain }}
        isCatchAll={isCatchAll}
      />
      <Checkbox
        label="Catch-all: every address without a mailbox or alias"
        description="One per domain"
        {...form.getInputProps('is_catch_all', { type: 'checkbox' })}
        onChange={(event) => {
          form.setFieldValue('is_catch_all', event.currentTarget.checked);
          form.clearFieldError('source_local_part');
        }}
        error={isCatchAll && sourceError}
      />
      <DestinationsInput
        {...form.getInputProps('destination')}
        value={form.values.destination}
        rejectedAddress={rejectedAddressOf(failure)}
      />
      <Switch label="Active" {...form.getInputProps('active', { type: 'checkbox' })} />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

type AddressTakenProps = { message: string; onShow: () => void };

function AddressTaken({ message, onShow }: AddressTakenProps) {
  return (
    <>
      {message} <TextButton onClick={onShow}>Show alias</TextButton>
    </>
  );
}

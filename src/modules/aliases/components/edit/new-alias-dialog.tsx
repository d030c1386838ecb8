'use client';

import { Checkbox, Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type FormEvent, useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { AddressFields } from '@/components/directory/address-fields';
import { TextButton } from '@/components/text/text-button';
import type { Alias } from '../../schema';
import { allDestinations, destinationsError, localPartError } from './alias-values';
import { DestinationsInput } from './destinations-input';

const EMPTY = { local: '', domainId: '', isCatchAll: false, destinations: [] as string[], draft: '', active: true };

type NewAliasDialogProps = {
  opened: boolean;
  domains: { id: string; name: string }[];
  defaultDomainId: string | undefined;
  onClose: () => void;
  onCreated: (alias: Alias) => void;
  /** Shows the existing alias with this address. */
  onShow: (q: string, domainId: string) => void;
};

export function NewAliasDialog({ opened, domains, defaultDomainId, onClose, onCreated, onShow }: NewAliasDialogProps) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [rejectedAddress, setRejectedAddress] = useState<string | null>(null);
  const form = useForm({
    initialValues: EMPTY,
    validate: {
      local: (value, { isCatchAll }) => (isCatchAll ? null : localPartError(value)),
      domainId: (value) => (value || defaultDomainId ? null : 'Choose a domain.'),
      destinations: destinationsError,
    },
  });
  const { local, isCatchAll, destinations, draft } = form.values;
  const domainId = form.values.domainId || defaultDomainId || '';

  const close = () => {
    form.reset();
    setProblem(null);
    setRejectedAddress(null);
    onClose();
  };
  const show = (q: string) => {
    close();
    onShow(q, domainId);
  };
  const create = trpc.aliases.create.useMutation({
    onSuccess: (alias) => {
      close();
      onCreated(alias);
    },
    onError: (error) => {
      const failure = toProblem(error);
      setRejectedAddress(typeof failure.details.address === 'string' ? failure.details.address : null);
      if (failure.code === 'DOMAIN_INACTIVE' || failure.code === 'DOMAIN_NOT_FOUND') {
        form.setErrors({ domainId: failure.message });
        return;
      }
      const source = isCatchAll ? 'isCatchAll' : 'local';
      setProblem(
        applyFieldErrors(failure, form, {
          source_local_part: source,
          domain_id: 'domainId',
          destination: 'destinations',
        }),
      );
      if (failure.code === 'CONFLICT' && failure.fields.length > 0) {
        form.setFieldError(
          source,
          <AddressTaken message={failure.message} onShow={() => show(isCatchAll ? '' : local.trim())} />,
        );
      }
    },
  });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    form.setValues({ destinations: allDestinations(form.getValues()), draft: '' });
    form.onSubmit((values) => {
      setProblem(null);
      setRejectedAddress(null);
      create.mutate({
        domain_id: domainId,
        source_local_part: values.isCatchAll ? '' : values.local.trim(),
        destination: values.destinations.join(','),
        active: values.active,
      });
    })(event);
  };

  return (
    <Dialog
      opened={opened}
      title="New alias"
      action="Create alias"
      isBusy={create.isPending}
      onClose={close}
      onSubmit={submit}
    >
      <AddressFields
        label="Address"
        domains={domains}
        local={form.getInputProps('local')}
        domain={{ ...form.getInputProps('domainId'), value: domainId || null }}
        isCatchAll={isCatchAll}
      />
      <Checkbox
        label="Catch-all: every address without a mailbox or alias"
        description="One per domain"
        {...form.getInputProps('isCatchAll', { type: 'checkbox' })}
      />
      <DestinationsInput
        {...form.getInputProps('destinations')}
        value={destinations}
        rejectedAddress={rejectedAddress}
        draft={draft}
        onDraft={(text) => form.setFieldValue('draft', text)}
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

'use client';

import { Checkbox, Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type FormEvent, useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { AddressFields } from '@/components/directory/address-fields';
import type { Alias } from '../../schema';
import { allOf, destinationsFault, localPartFault } from './alias-values';
import { DestinationsInput } from './destinations-input';

const EMPTY = { local: '', domainId: '', isCatchAll: false, destinations: [] as string[], draft: '', active: true };

type NewAliasDialogProps = {
  opened: boolean;
  domains: { id: string; name: string }[];
  preset: string | undefined;
  onClose: () => void;
  onCreated: (alias: Alias) => void;
  /** Leads to the alias that has the address already. */
  onShow: (q: string, domainId: string) => void;
};

export function NewAliasDialog({ opened, domains, preset, onClose, onCreated, onShow }: NewAliasDialogProps) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const form = useForm({
    initialValues: EMPTY,
    validate: {
      local: (value, { isCatchAll }) => (isCatchAll ? null : localPartFault(value)),
      domainId: (value) => (value || preset ? null : 'Choose a domain.'),
      destinations: destinationsFault,
    },
  });
  const { local, isCatchAll, destinations, draft } = form.values;
  const domainId = form.values.domainId || preset || '';

  const close = () => {
    form.reset();
    setProblem(null);
    setRefused(null);
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
      const found = toProblem(error);
      setRefused(typeof found.details.address === 'string' ? found.details.address : null);
      if (found.code === 'DOMAIN_INACTIVE' || found.code === 'DOMAIN_NOT_FOUND') {
        form.setErrors({ domainId: found.message });
        return;
      }
      const source = isCatchAll ? 'isCatchAll' : 'local';
      setProblem(
        applyFieldErrors(found, form, {
          source_local_part: source,
          domain_id: 'domainId',
          destination: 'destinations',
        }),
      );
      if (found.code === 'CONFLICT' && found.fields.length > 0) {
        form.setFieldError(
          source,
          <Taken message={found.message} onShow={() => show(isCatchAll ? '' : local.trim())} />,
        );
      }
    },
  });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    form.setValues({ destinations: allOf(form.getValues()), draft: '' });
    form.onSubmit((values) => {
      setProblem(null);
      setRefused(null);
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
      action="Create the alias"
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
        label="Catch-all: every address without a mailbox or an alias of its own"
        description="One a domain"
        {...form.getInputProps('isCatchAll', { type: 'checkbox' })}
      />
      <DestinationsInput
        {...form.getInputProps('destinations')}
        value={destinations}
        refused={refused}
        draft={draft}
        onDraft={(text) => form.setFieldValue('draft', text)}
      />
      <Switch label="On as soon as it is created" {...form.getInputProps('active', { type: 'checkbox' })} />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

type TakenProps = { message: string; onShow: () => void };

function Taken({ message, onShow }: TakenProps) {
  return (
    <>
      {message}{' '}
      <button type="button" className="act text-button" onClick={onShow}>
        Show it
      </button>
    </>
  );
}

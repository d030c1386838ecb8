'use client';

import { Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type FormEvent, useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { StatusMark } from '@/components/marks/status-mark';
import type { Alias } from '../../schema';
import { allOf, destinationsFault, destinationsOf } from './alias-values';
import { DestinationsInput } from './destinations-input';

type EditAliasProps = { onClose: () => void; onSaved: (alias: Alias) => void };

export function EditAliasDialog({ id, row, ...rest }: EditAliasProps & { id: string; row: Alias | undefined }) {
  const found = trpc.aliases.get.useQuery({ id }, { initialData: row, staleTime: row ? 10_000 : 0 });
  if (found.data) return <EditForm key={found.data.id} alias={found.data} {...rest} />;
  return (
    <Dialog
      opened
      title="Change an alias"
      action="Save the changes"
      isDisabled
      onClose={rest.onClose}
      onSubmit={(event) => event.preventDefault()}
    >
      {found.isError ? (
        <ProblemAlert title="Could not load this alias" problem={toProblem(found.error)} />
      ) : (
        <div aria-busy="true" style={{ minHeight: 128 }}>
          <span className="skeleton" style={{ width: 240 }} />
        </div>
      )}
    </Dialog>
  );
}

function EditForm({ alias, onClose, onSaved }: EditAliasProps & { alias: Alias }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const form = useForm({
    initialValues: { destinations: destinationsOf(alias), draft: '', active: alias.active },
    validate: { destinations: destinationsFault },
  });
  const update = trpc.aliases.update.useMutation({
    onSuccess: onSaved,
    onError: (error) => {
      const found = toProblem(error);
      setRefused(typeof found.details.address === 'string' ? found.details.address : null);
      setProblem(applyFieldErrors(found, form, { destination: 'destinations', active: 'active' }));
    },
  });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    form.setValues({ destinations: allOf(form.getValues()), draft: '' });
    form.onSubmit(({ destinations, active }) => {
      if (!form.isDirty()) return onClose();
      setProblem(null);
      setRefused(null);
      update.mutate({
        id: alias.id,
        ...(form.isDirty('destinations') && { destination: destinations.join(',') }),
        ...(form.isDirty('active') && { active }),
      });
    })(event);
  };

  return (
    <Dialog
      opened
      title={`Change ${alias.address}`}
      action="Save the changes"
      isBusy={update.isPending}
      onClose={onClose}
      onSubmit={submit}
    >
      {alias.source_local_part === '' && (
        <p className="soft">The catch-all: it takes every address that has no mailbox and no alias of its own.</p>
      )}
      {alias.warnings.length > 0 && (
        <ul className="warnings" aria-label="Warnings">
          {alias.warnings.map((warning) => (
            <li key={warning}>
              <StatusMark status="warning">{warning}</StatusMark>
            </li>
          ))}
        </ul>
      )}
      <DestinationsInput
        {...form.getInputProps('destinations')}
        value={form.values.destinations}
        refused={refused}
        draft={form.values.draft}
        onDraft={(text) => form.setFieldValue('draft', text)}
        autoFocus
      />
      <Switch label="On" {...form.getInputProps('active', { type: 'checkbox' })} />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

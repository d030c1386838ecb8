'use client';

import { Switch } from '@mantine/core';
import { useForm } from '@mantine/form';
import { type FormEvent, useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { Skeleton } from '@/components/marks/skeleton';
import { StatusMark } from '@/components/marks/status-mark';
import type { Alias } from '../../schema';
import { allDestinations, destinationsError, destinationsOf } from './alias-values';
import { DestinationsInput } from './destinations-input';
import classes from './edit-alias-dialog.module.css';

type EditAliasProps = { onClose: () => void; onSaved: (alias: Alias) => void };

export function EditAliasDialog({ id, row, ...rest }: EditAliasProps & { id: string; row: Alias | undefined }) {
  const alias = trpc.aliases.get.useQuery({ id }, { initialData: row, staleTime: row ? 10_000 : 0 });
  if (alias.data) return <EditForm key={alias.data.id} alias={alias.data} {...rest} />;
  return (
    <Dialog
      opened
      title="Edit alias"
      action="Save changes"
      isDisabled
      onClose={rest.onClose}
      onSubmit={(event) => event.preventDefault()}
    >
      {alias.isError ? (
        <ProblemAlert title="Couldn’t load this alias" problem={toProblem(alias.error)} />
      ) : (
        <div aria-busy="true" style={{ minHeight: 128 }}>
          <Skeleton width={240} />
        </div>
      )}
    </Dialog>
  );
}

function EditForm({ alias, onClose, onSaved }: EditAliasProps & { alias: Alias }) {
  const [problem, setProblem] = useState<Problem | null>(null);
  const [rejectedAddress, setRejectedAddress] = useState<string | null>(null);
  const form = useForm({
    initialValues: { destinations: destinationsOf(alias), draft: '', active: alias.active },
    validate: { destinations: destinationsError },
  });
  const update = trpc.aliases.update.useMutation({
    onSuccess: onSaved,
    onError: (error) => {
      const failure = toProblem(error);
      setRejectedAddress(typeof failure.details.address === 'string' ? failure.details.address : null);
      setProblem(applyFieldErrors(failure, form, { destination: 'destinations', active: 'active' }));
    },
  });

  const submit = (event: FormEvent<HTMLFormElement>) => {
    form.setValues({ destinations: allDestinations(form.getValues()), draft: '' });
    form.onSubmit(({ destinations, active }) => {
      if (!form.isDirty()) return onClose();
      setProblem(null);
      setRejectedAddress(null);
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
      title={`Edit ${alias.address}`}
      action="Save changes"
      isBusy={update.isPending}
      onClose={onClose}
      onSubmit={submit}
    >
      {alias.source_local_part === '' && (
        <p className="soft">This is the catch-all: it receives mail for every address that has no mailbox or alias.</p>
      )}
      {alias.warnings.length > 0 && (
        <ul className={classes.warnings} aria-label="Warnings">
          {alias.warnings.map(({ code, message, destination }) => (
            <li key={`${code} ${destination}`}>
              <StatusMark status="warning">{message}</StatusMark>
            </li>
          ))}
        </ul>
      )}
      <DestinationsInput
        {...form.getInputProps('destinations')}
        value={form.values.destinations}
        rejectedAddress={rejectedAddress}
        draft={form.values.draft}
        onDraft={(text) => form.setFieldValue('draft', text)}
        autoFocus
      />
      <Switch label="Active" {...form.getInputProps('active', { type: 'checkbox' })} />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

'use client';

import { Switch } from '@mantine/core';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { ConflictDialog } from '@/components/forms/conflict-dialog';
import { ACTIVE } from '@/components/forms/conflicting-fields';
import { useSavedForm } from '@/components/forms/use-saved-form';
import { Skeleton } from '@/components/marks/skeleton';
import { StatusMark } from '@/components/marks/status-mark';
import { splitDestinations } from '@/lib/mail/destinations';
import { type Alias, UpdateAlias } from '../../schema';
import { rejectedAddressOf } from './alias-values';
import { DestinationsInput } from './destinations-input';
import classes from './edit-alias-dialog.module.css';

type EditAliasProps = { onClose: () => void; onSaved: (alias: Alias, isEdited: boolean) => void };

export function EditAliasDialog({ id, row, ...rest }: EditAliasProps & { id: string; row: Alias | undefined }) {
  const alias = trpc.aliases.get.useQuery({ id }, { initialData: row, staleTime: row ? 10_000 : 0 });
  if (alias.data) return <EditForm key={alias.data.id} alias={alias.data} {...rest} />;
  return (
    <Dialog
      opened
      isInUrl
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
  const update = trpc.aliases.update.useMutation();
  const { form, problem, failure, isBusy, isDirty, conflict, onSubmit } = useSavedForm({
    schema: UpdateAlias,
    saved: alias,
    fields: { destination: { label: 'Destinations', text: linesOf }, active: ACTIVE },
    toInput: (changes) => ({ id: alias.id, ...changes }),
    submit: (input, loaded) => update.mutateAsync(ifUnchanged('alias', loaded, input)),
    onSaved,
  });

  return (
    <>
      <ConflictDialog conflict={conflict} />
      <Dialog
        opened={conflict === null}
        isInUrl
        title={`Edit ${alias.address}`}
        action="Save changes"
        isBusy={isBusy}
        onClose={onClose}
        onSubmit={(event) => {
          if (isDirty) return onSubmit(event);
          event.preventDefault();
          onClose();
        }}
      >
        {alias.source_local_part === '' && (
          <p className="soft">
            This is the catch-all: it receives mail for every address that has no mailbox or alias.
          </p>
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
          {...form.getInputProps('destination')}
          value={form.values.destination}
          rejectedAddress={rejectedAddressOf(failure)}
          autoFocus
        />
        <Switch label="Active" {...form.getInputProps('active', { type: 'checkbox' })} />
        <ProblemAlert problem={problem} />
      </Dialog>
    </>
  );
}

function linesOf(destination: string): string {
  return splitDestinations(destination).join('\n');
}

'use client';

import { TextInput } from '@mantine/core';
import { z } from 'zod';
import type { ViewPage } from '@/lib/saved-views';
import { ViewName } from '@/lib/view-name';
import { ProblemAlert } from '../../api/problem-alert';
import { trpc } from '../../api/trpc';
import { Dialog } from '../../dialogs/dialog';
import { trimmed, useApiForm } from '../../forms/use-api-form';
import { notify } from '../../notifications';

const Form = z.object({ name: ViewName });

type SaveViewDialogProps = {
  opened: boolean;
  page: ViewPage;
  query: string;
  onClose: () => void;
  onSaved: (view: { id: string }) => void;
};

export function SaveViewDialog({ opened, page, query, onClose, onSaved }: SaveViewDialogProps) {
  const utils = trpc.useUtils();
  const create = trpc.savedViews.create.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: Form,
    initialValues: { name: '' },
    toInput: (values) => trimmed(values, ['name']),
    submit: ({ name }) => create.mutateAsync({ page, name, query }),
    onSaved: async (view) => {
      onSaved(view);
      onClose();
      notify({ text: `Saved ${view.name}` });
      await utils.savedViews.invalidate();
    },
  });

  return (
    <Dialog opened={opened} title="Save view" action="Save view" isBusy={isBusy} onClose={onClose} onSubmit={onSubmit}>
      <TextInput
        label="Name"
        description="The filters and the order of the list as it is now. Only you see it."
        maxLength={60}
        data-autofocus
        {...form.getInputProps('name')}
      />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

'use client';

import { Select, TextInput } from '@mantine/core';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { useApiForm } from '@/components/forms/use-api-form';
import { DkimAlgorithm, RotateDkim } from '../../dkim/schema';
import type { Domain } from '../../schema';
import { ALGORITHMS } from './dkim-values';
import { useRefreshDkim } from './use-dkim';

type RotateDialogProps = { domain: Domain; opened: boolean; onClose: () => void };

const initialValues: { algorithm: DkimAlgorithm; selector: string } = { algorithm: 'rsa-2048', selector: '' };

export function RotateDialog({ domain, opened, onClose }: RotateDialogProps) {
  const refresh = useRefreshDkim(domain.id);
  const rotate = trpc.domains.rotateDkim.useMutation();
  const { form, problem, isBusy, onSubmit } = useApiForm({
    schema: RotateDkim,
    initialValues,
    toInput: ({ algorithm, selector }) => ({ id: domain.id, algorithm, selector: selector.trim() || undefined }),
    submit: (input) => rotate.mutateAsync(input),
    onSaved: async () => {
      await refresh();
      onClose();
    },
  });

  return (
    <Dialog
      opened={opened}
      isInUrl
      title={`Rotate the DKIM key of ${domain.name}`}
      action="Generate key"
      isBusy={isBusy}
      onClose={onClose}
      onSubmit={onSubmit}
    >
      <p className="soft">
        Generates a pending key. Your mail is signed with the current key until you publish the new record and activate
        the key.
      </p>
      <Select
        label="Algorithm"
        description="All receiving servers support RSA. Ed25519 has a shorter record but isn’t supported everywhere."
        data={DkimAlgorithm.options.map((value) => ({ value, label: ALGORITHMS[value] }))}
        allowDeselect={false}
        {...form.getInputProps('algorithm')}
      />
      <TextInput
        label="Selector (optional)"
        className="mono-input"
        placeholder="s2026a"
        description="The part before ._domainkey in the record name. Leave empty to generate one."
        maxLength={63}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        {...form.getInputProps('selector')}
      />
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

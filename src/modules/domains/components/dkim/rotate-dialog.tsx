'use client';

import { Select, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useState } from 'react';
import { applyFieldErrors, type Problem, toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { DkimAlgorithm } from '../../dkim/schema';
import type { Domain } from '../../schema';
import { ALGORITHMS } from './dkim-values';
import { useRefreshDkim } from './use-dkim';

type RotateDialogProps = { domain: Domain; opened: boolean; onClose: () => void };

const initialValues: { algorithm: DkimAlgorithm; selector: string } = { algorithm: 'rsa-2048', selector: '' };

export function RotateDialog({ domain, opened, onClose }: RotateDialogProps) {
  const refresh = useRefreshDkim(domain.id);
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm({ initialValues });
  const close = () => {
    form.reset();
    setProblem(null);
    onClose();
  };
  const rotate = trpc.domains.rotateDkim.useMutation({
    onSuccess: async () => {
      await refresh();
      close();
    },
    onError: (error) => setProblem(applyFieldErrors(toProblem(error), form, { selector: 'selector' })),
  });

  return (
    <Dialog
      opened={opened}
      title={`Rotate the DKIM key of ${domain.name}`}
      action="Generate key"
      isBusy={rotate.isPending}
      onClose={close}
      onSubmit={form.onSubmit(({ algorithm, selector }) => {
        setProblem(null);
        rotate.mutate({ id: domain.id, algorithm, selector: selector.trim() || undefined });
      })}
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

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
      title={`Rotate the key of ${domain.name}`}
      action="Make the new key"
      isBusy={rotate.isPending}
      onClose={close}
      onSubmit={form.onSubmit(({ algorithm, selector }) => {
        setProblem(null);
        rotate.mutate({ id: domain.id, algorithm, selector: selector.trim() || undefined });
      })}
    >
      <p className="soft">
        A new key is made, and waits. Nothing changes for your mail before its record is published and you activate it.
      </p>
      <Select
        label="Algorithm"
        description="Every receiver checks RSA. Not every one knows Ed25519 yet, whose record is shorter."
        data={DkimAlgorithm.options.map((value) => ({ value, label: ALGORITHMS[value] }))}
        allowDeselect={false}
        {...form.getInputProps('algorithm')}
      />
      <TextInput
        label="Selector (optional)"
        className="mono-input"
        placeholder="s2026a"
        description="What stands before ._domainkey in the record’s name. Leave it empty and one is made."
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

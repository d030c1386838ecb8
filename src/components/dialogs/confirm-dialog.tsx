'use client';

import { TextInput } from '@mantine/core';
import { type ReactNode, useEffect, useState } from 'react';
import type { Problem } from '../api/problem';
import { ProblemAlert } from '../api/problem-alert';
import { Dialog } from './dialog';

type ConfirmDialogProps = {
  opened: boolean;
  title: string;
  action: string;
  dismiss?: string;
  children: ReactNode;
  problem: Problem | null;
  isBusy: boolean;
  isInUrl?: boolean;
  onClose: () => void;
  onConfirm: () => void;
  typeToConfirm?: string;
};

export function ConfirmDialog(props: ConfirmDialogProps) {
  const { opened, title, action, dismiss, children, problem, isBusy, isInUrl, onClose, onConfirm, typeToConfirm } =
    props;
  const [typed, setTyped] = useState('');
  const isMatching = typeToConfirm === undefined || typed.trim().toLowerCase() === typeToConfirm.toLowerCase();

  useEffect(() => {
    if (opened) setTyped('');
  }, [opened]);

  return (
    <Dialog
      opened={opened}
      title={title}
      action={action}
      dismiss={dismiss}
      isInUrl={isInUrl}
      onClose={onClose}
      isBusy={isBusy}
      isDisabled={!isMatching}
      isDanger
      losesNothing
      onSubmit={(event) => {
        event.preventDefault();
        if (isMatching) onConfirm();
      }}
    >
      {children}
      {typeToConfirm !== undefined && (
        <TextInput
          className="mono-input"
          label={`Type ${typeToConfirm} to confirm`}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          value={typed}
          onChange={(event) => setTyped(event.currentTarget.value)}
        />
      )}
      <ProblemAlert problem={problem} />
    </Dialog>
  );
}

'use client';

import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { Dialog } from '@/components/dialogs/dialog';
import { MailboxPicker } from '@/components/pickers/mailbox-picker';
import { SegmentedControl } from '@/components/segmented-control';
import { LocalText } from '@/components/values/local-text';
import { formatFull } from '@/lib/format';
import type { MailSnapshot } from '../schema';

type RestoreMailboxDialogProps = {
  opened: boolean;
  snapshot: MailSnapshot | null;
  onClose: () => void;
  onStarted: (operationId: string) => void;
};

const MODES = { beside: 'In a folder beside its mail', in_place: 'In place' };

const CONSEQUENCES = {
  beside: 'The mail of that time is put into a folder of its own in the mailbox. Nothing else is changed.',
  in_place:
    'The mailbox becomes as it was then: what was deleted since comes back, and folders and flags are those of that time. Messages that arrived since then stay.',
};

/** Which mailbox, and how. In place, its address is typed. */
export function RestoreMailboxDialog({ opened, snapshot, onClose, onStarted }: RestoreMailboxDialogProps) {
  const [mailbox, setMailbox] = useState<string | null>(null);
  const [mode, setMode] = useState<keyof typeof MODES>('beside');
  const [confirmation, setConfirmation] = useState('');
  const restore = trpc.mailBackups.restore.useMutation();
  if (!snapshot) return null;
  const isConfirmed = mode === 'beside' || confirmation.trim().toLowerCase() === mailbox?.toLowerCase();

  return (
    <Dialog
      opened={opened}
      title="Restore a mailbox"
      action="Restore"
      isBusy={restore.isPending}
      isDisabled={mailbox === null || !isConfirmed}
      isDanger={mode === 'in_place'}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        if (mailbox === null || !isConfirmed) return;
        restore.mutate({ snapshot: snapshot.id, mailbox, mode }, { onSuccess: ({ id }) => onStarted(id) });
      }}
    >
      <p className="soft">
        The snapshot of <LocalText>{() => formatFull(snapshot.taken_at)}</LocalText>, {snapshot.host}.
      </p>
      <MailboxPicker by="email" value={mailbox} onChange={setMailbox} />
      <SegmentedControl label="Restore" value={mode} options={MODES} onChange={setMode} />
      <p>{CONSEQUENCES[mode]}</p>
      {mode === 'in_place' && mailbox && (
        <TextInput
          className="mono-input"
          label={`Type ${mailbox} to confirm`}
          autoComplete="off"
          spellCheck={false}
          value={confirmation}
          onChange={(event) => setConfirmation(event.currentTarget.value)}
        />
      )}
      <ProblemAlert problem={restore.error && toProblem(restore.error)} />
    </Dialog>
  );
}

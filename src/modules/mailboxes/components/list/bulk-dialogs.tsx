'use client';

import { TextInput } from '@mantine/core';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { Dialog } from '@/components/dialogs/dialog';
import { useApiForm } from '@/components/forms/use-api-form';
import { type Mailbox, SuspendMailbox } from '../../schema';
import { nameOfMailboxes } from './use-mailbox-actions';

type BulkDialogProps = { opened: boolean; mailboxes: Mailbox[]; onClose: () => void };

type SuspendMailboxesDialogProps = BulkDialogProps & { onConfirm: (reason: string, mailboxes: Mailbox[]) => void };

/** @param mailboxes those that aren't suspended yet */
export function SuspendMailboxesDialog({ opened, mailboxes, onClose, onConfirm }: SuspendMailboxesDialogProps) {
  const { form, isBusy, onSubmit, reset } = useApiForm({
    schema: SuspendMailbox.pick({ reason: true }),
    initialValues: { reason: '' },
    toInput: ({ reason }) => ({ reason: reason.trim() }),
    submit: async ({ reason }) => {
      reset();
      onConfirm(reason, mailboxes);
    },
  });
  const isNone = mailboxes.length === 0;
  return (
    <Dialog
      opened={opened}
      title={isNone ? 'Already suspended' : `Suspend ${nameOfMailboxes(mailboxes)}`}
      action="Suspend"
      isBusy={isBusy}
      isDisabled={isNone}
      isDanger
      onClose={() => {
        reset();
        onClose();
      }}
      onSubmit={onSubmit}
    >
      <p className="soft">
        {isNone
          ? 'All selected mailboxes are suspended.'
          : 'Takes effect immediately. A suspended mailbox can still receive mail but can’t send until an admin unsuspends it.'}
      </p>
      {!isNone && (
        <TextInput
          label="Reason"
          description="Shown to everyone with access to the mailbox"
          maxLength={500}
          data-autofocus
          {...form.getInputProps('reason')}
        />
      )}
    </Dialog>
  );
}

type DeleteMailboxesDialogProps = BulkDialogProps & { onConfirm: () => void };

export function DeleteMailboxesDialog({ opened, mailboxes, onClose, onConfirm }: DeleteMailboxesDialogProps) {
  const isOne = mailboxes.length === 1;
  return (
    <ConfirmDialog
      opened={opened}
      title={`Delete ${nameOfMailboxes(mailboxes)}`}
      action={isOne ? 'Delete mailbox' : 'Delete mailboxes'}
      typeToConfirm={nameOfMailboxes(mailboxes)}
      problem={null}
      isBusy={false}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p className="soft">
        Nobody can sign in to {isOne ? 'the mailbox' : 'these mailboxes'} anymore. New mail is rejected, or goes to an
        alias or catch-all if there is one. They can be restored for 30 days under Recently deleted.
      </p>
    </ConfirmDialog>
  );
}

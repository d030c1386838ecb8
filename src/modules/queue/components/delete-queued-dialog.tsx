'use client';

import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { formatPlural } from '@/lib/format';
import type { QueuedMessage } from '../schema';
import { senderLabel } from './queue-labels';

type DeleteQueuedDialogProps = {
  messages: QueuedMessage[];
  isBusy: boolean;
  onClose: () => void;
  onConfirm: () => void;
};

export function DeleteQueuedDialog({ messages, isBusy, onClose, onConfirm }: DeleteQueuedDialogProps) {
  const [first, ...others] = messages;
  const recipients = messages.reduce((sum, { recipient_count: count }) => sum + count, 0);
  const what = others.length === 0 ? 'message' : `${messages.length} messages`;
  return (
    <ConfirmDialog
      opened={messages.length > 0}
      title={`Delete ${what} from queue`}
      action={`Delete ${what}`}
      problem={null}
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      {first && (
        <p className="soft">
          {others.length === 0 ? (
            <>
              Delete the message from <span className="mono">{senderLabel(first.from)}</span>?
            </>
          ) : (
            `Delete these ${messages.length} messages?`
          )}{' '}
          {formatPlural(recipients, 'recipient')} won’t receive {others.length === 0 ? 'it' : 'them'}, and the{' '}
          {others.length === 0 ? 'sender isn’t' : 'senders aren’t'} notified. This can’t be undone.
        </p>
      )}
    </ConfirmDialog>
  );
}

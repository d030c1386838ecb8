'use client';

import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { formatPlural } from '@/lib/format';
import type { QueuedMessage } from '../schema';
import { senderLabel } from './queue-labels';

type DeleteQueuedDialogProps = {
  queued: QueuedMessage | null;
  isBusy: boolean;
  onClose: () => void;
  onConfirm: (queued: QueuedMessage) => void;
};

export function DeleteQueuedDialog({ queued, isBusy, onClose, onConfirm }: DeleteQueuedDialogProps) {
  return (
    <ConfirmDialog
      opened={queued !== null}
      title="Delete message from queue"
      action="Delete message"
      problem={null}
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={() => queued && onConfirm(queued)}
    >
      {queued && (
        <p className="soft">
          Delete the message from <span className="mono">{senderLabel(queued.from)}</span>?{' '}
          {formatPlural(queued.recipient_count, 'recipient')} won’t receive it, and the sender isn’t notified. This
          can’t be undone.
        </p>
      )}
    </ConfirmDialog>
  );
}

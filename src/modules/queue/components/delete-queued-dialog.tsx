'use client';

import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { formatPlural } from '@/lib/format';
import type { QueuedMessage } from '../schema';
import { senderWords } from './queue-words';

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
      title="Delete the message from the queue"
      action="Delete the message"
      problem={null}
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={() => queued && onConfirm(queued)}
    >
      {queued && (
        <p className="soft">
          It is from <span className="mono">{senderWords(queued.from)}</span> and waits for{' '}
          {formatPlural(queued.recipient_count, 'recipient')}. None of them gets it, its sender is not told, and it
          cannot be brought back.
        </p>
      )}
    </ConfirmDialog>
  );
}

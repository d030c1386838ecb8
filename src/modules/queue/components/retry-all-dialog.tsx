'use client';

import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { formatCount, formatPlural } from '@/lib/format';

type RetryAllDialogProps = {
  opened: boolean;
  /** How many messages of suspended senders are being retried. */
  suspendedCount: number;
  isBusy: boolean;
  onClose: () => void;
  onConfirm: () => void;
};

/** Asks before messages of suspended senders are put on hold, so that only the others are retried. */
export function RetryAllDialog({ opened, suspendedCount, isBusy, onClose, onConfirm }: RetryAllDialogProps) {
  return (
    <ConfirmDialog
      opened={opened}
      title="Retry deferred messages"
      action={`Hold ${formatCount(suspendedCount)}, retry the others`}
      problem={null}
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p className="soft">
        {formatPlural(suspendedCount, 'message')} from suspended senders {suspendedCount === 1 ? 'is' : 'are'} put on
        hold first, and not retried until you release {suspendedCount === 1 ? 'it' : 'them'}.
      </p>
    </ConfirmDialog>
  );
}

'use client';

import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { formatCount, formatPlural } from '@/lib/format';

type RetryAllDialogProps = {
  opened: boolean;
  count: number;
  /** How many of the messages are from suspended senders. */
  suspendedCount: number;
  onClose: () => void;
  onConfirm: () => void;
};

/** Asks before messages of suspended senders are retried with all others. */
export function RetryAllDialog({ opened, count, suspendedCount, onClose, onConfirm }: RetryAllDialogProps) {
  return (
    <ConfirmDialog
      opened={opened}
      title="Retry all deferred messages"
      action={`Retry all ${formatCount(count)}`}
      problem={null}
      isBusy={false}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p className="soft">
        They include {formatPlural(suspendedCount, 'message')} from suspended senders. To leave these out, hold or
        delete them first.
      </p>
    </ConfirmDialog>
  );
}

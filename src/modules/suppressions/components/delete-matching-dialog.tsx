'use client';

import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { formatCount } from '@/lib/format';
import { MAX_TOTAL } from '@/lib/lists';

type DeleteMatchingDialogProps = {
  opened: boolean;
  /** Null or undefined while it isn’t known. */
  total: number | null | undefined;
  isBusy: boolean;
  onClose: () => void;
  onConfirm: () => void;
};

/** Asks before all suppressions that match the filters are deleted. */
export function DeleteMatchingDialog({ total, ...dialog }: DeleteMatchingDialogProps) {
  return (
    <ConfirmDialog
      {...dialog}
      title={`Delete ${countOf(total)} suppressions`}
      action="Delete suppressions"
      problem={null}
    >
      <p className="soft">
        All suppressions that match the filters are deleted, on all pages. Your mail is sent to these addresses again
        with the next message, unless they are suppressed for another reason, too. Many bounces and reports of spam make
        receiving servers reject your other mail.
      </p>
      <p className="soft">They can be restored for 30 days under Recently deleted.</p>
    </ConfirmDialog>
  );
}

function countOf(total: number | null | undefined): string {
  if (total === null || total === undefined) return 'all matching';
  return total >= MAX_TOTAL ? `${formatCount(MAX_TOTAL)} or more` : formatCount(total);
}

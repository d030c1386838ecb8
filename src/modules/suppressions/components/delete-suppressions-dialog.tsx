'use client';

import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { RawText } from '@/components/text/raw-text';
import type { Suppression } from '../schema';
import { warningOf, warningOfAll } from './suppression-values';
import { nameOfSuppressions } from './use-suppression-actions';

type DeleteSuppressionsDialogProps = {
  suppressions: Suppression[];
  opened: boolean;
  isBusy: boolean;
  onClose: () => void;
  onConfirm: () => void;
};

export function DeleteSuppressionsDialog({ suppressions, ...dialog }: DeleteSuppressionsDialogProps) {
  const [first, ...others] = suppressions;
  const only = others.length === 0 ? first : undefined;
  return (
    <ConfirmDialog
      {...dialog}
      title={`Send to ${nameOfSuppressions(suppressions)} again`}
      action={only ? 'Delete suppression' : 'Delete suppressions'}
      problem={null}
    >
      <p className="soft">{only ? warningOf(only) : warningOfAll(suppressions)}</p>
      {only?.detail && <RawText>{only.detail}</RawText>}
      <p className="soft">
        {only
          ? `Takes effect with the next message of ${only.domain ?? 'any domain'}. If the address is suppressed for another reason, too, it stays so.`
          : 'Takes effect with the next message. An address that is suppressed for another reason, too, stays so.'}
      </p>
    </ConfirmDialog>
  );
}

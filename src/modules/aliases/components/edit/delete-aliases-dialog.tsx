'use client';

import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { formatPlural } from '@/lib/format';
import type { Alias } from '../../schema';

type DeleteAliasesDialogProps = {
  aliases: Alias[];
  isBusy: boolean;
  onClose: () => void;
  onConfirm: () => void;
};

export function DeleteAliasesDialog({ aliases, isBusy, onClose, onConfirm }: DeleteAliasesDialogProps) {
  const [first, ...others] = aliases;
  const isOne = others.length === 0;
  return (
    <ConfirmDialog
      opened={aliases.length > 0}
      title={isOne ? `Delete ${first?.address ?? ''}` : `Delete ${formatPlural(aliases.length, 'alias', 'aliases')}`}
      action={isOne ? 'Delete alias' : 'Delete aliases'}
      problem={null}
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p className="soft">
        Takes effect immediately. New mail to {isOne ? 'this address' : 'these addresses'} is rejected, or goes to the
        catch-all if the domain has one.
      </p>
    </ConfirmDialog>
  );
}

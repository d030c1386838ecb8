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
      action={isOne ? 'Delete the alias' : 'Delete them'}
      problem={null}
      isBusy={isBusy}
      onClose={onClose}
      onConfirm={onConfirm}
    >
      <p className="soft">
        Mail for {isOne ? 'it' : 'them'} is refused from this moment, or goes to the catch-all where the domain has one.
      </p>
    </ConfirmDialog>
  );
}

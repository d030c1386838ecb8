'use client';

import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { RawText } from '@/components/text/raw-text';
import type { Suppression } from '../schema';
import { warningOf } from './suppression-values';

type DeleteSuppressionDialogProps = {
  suppression: Suppression | null;
  onClose: () => void;
  onDeleted: (suppression: Suppression) => void;
};

export function DeleteSuppressionDialog({ suppression, onClose, onDeleted }: DeleteSuppressionDialogProps) {
  const remove = trpc.suppressions.delete.useMutation();
  const close = () => {
    remove.reset();
    onClose();
  };
  return (
    <ConfirmDialog
      opened={suppression !== null}
      title={`Send to ${suppression?.email ?? ''} again`}
      action="Delete suppression"
      problem={remove.error ? toProblem(remove.error) : null}
      isBusy={remove.isPending}
      onClose={close}
      onConfirm={() =>
        suppression &&
        remove.mutate(
          { id: suppression.id },
          {
            onSuccess: () => {
              close();
              onDeleted(suppression);
            },
          },
        )
      }
    >
      {suppression && (
        <>
          <p className="soft">{warningOf(suppression)}</p>
          {suppression.detail && <RawText>{suppression.detail}</RawText>}
          <p className="soft">
            Takes effect with the next message of {suppression.domain ?? 'any domain'}. If the address is suppressed for
            another reason, too, it stays so.
          </p>
        </>
      )}
    </ConfirmDialog>
  );
}

'use client';

import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { notify } from '@/components/notifications';
import type { DkimKey } from '../../dkim/schema';
import type { Domain } from '../../schema';
import { useRefreshDkim } from './use-dkim';

type DiscardDialogProps = {
  domain: Domain;
  /** Null while the dialog is closed. */
  dkimKey: DkimKey | null;
  onClose: () => void;
};

export function DiscardDialog({ domain, dkimKey, onClose }: DiscardDialogProps) {
  const refresh = useRefreshDkim(domain.id);
  const discard = trpc.domains.discardDkim.useMutation();
  const close = () => {
    discard.reset();
    onClose();
  };
  const confirm = async ({ selector }: DkimKey) => {
    await discard.mutateAsync({ id: domain.id, selector }).then(
      async () => {
        close();
        notify({ text: `Key ${selector} discarded`, takesFocus: true });
        await refresh();
      },
      // The dialog shows the problem.
      () => refresh(),
    );
  };
  return (
    <ConfirmDialog
      opened={dkimKey !== null}
      title="Discard pending key"
      action="Discard key"
      problem={discard.error ? toProblem(discard.error) : null}
      isBusy={discard.isPending}
      onClose={close}
      onConfirm={() => dkimKey && void confirm(dkimKey)}
    >
      <p className="soft">
        No message was signed with this key, so nothing changes for mail. If its DNS record is published, remove it. You
        can create another key immediately.
      </p>
    </ConfirmDialog>
  );
}

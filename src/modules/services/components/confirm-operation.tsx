'use client';

import { Dialog } from '@/components/dialogs/dialog';
import { ACTION_TEXTS, type Request, titleOf } from './operation-texts';

type ConfirmOperationProps = {
  opened: boolean;
  request: Request | null;
  isBusy: boolean;
  onClose: () => void;
  onConfirm: (request: Request) => void;
};

/** Says what an operation does to running deliveries. */
export function ConfirmOperation({ opened, request, isBusy, onClose, onConfirm }: ConfirmOperationProps) {
  if (!request) return null;
  const title = titleOf(request);
  return (
    <Dialog
      opened={opened}
      title={title}
      action={title}
      isBusy={isBusy}
      isDanger={request.action === 'restart'}
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        onConfirm(request);
      }}
    >
      <p>
        On <span className="mono">{request.host}</span>.
      </p>
      <p className="soft">{ACTION_TEXTS[request.action].consequence(request.service)}</p>
    </Dialog>
  );
}

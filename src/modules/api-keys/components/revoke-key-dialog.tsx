'use client';

import { useEffect, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import type { ApiKey } from '../schema';

type RevokeKeyDialogProps = { apiKey: ApiKey | null; onClose: () => void };

export function RevokeKeyDialog({ apiKey, onClose }: RevokeKeyDialogProps) {
  const utils = trpc.useUtils();
  const [shown, setShown] = useState(apiKey);
  const revoke = trpc.apiKeys.delete.useMutation({
    onSuccess: async () => {
      await utils.apiKeys.list.invalidate();
      onClose();
    },
  });

  useEffect(() => {
    if (apiKey) setShown(apiKey);
  }, [apiKey]);

  return (
    <ConfirmDialog
      opened={apiKey !== null}
      title={`Revoke ${shown?.name ?? 'the key'}`}
      action="Revoke key"
      problem={revoke.error ? toProblem(revoke.error) : null}
      isBusy={revoke.isPending}
      onClose={() => {
        revoke.reset();
        onClose();
      }}
      onConfirm={() => apiKey && revoke.mutate({ id: apiKey.id })}
    >
      <p className="soft">
        Applications that use <code>{shown?.key_prefix}…</code> lose access immediately, and keys created with it are
        revoked too. This can’t be undone.
      </p>
    </ConfirmDialog>
  );
}

'use client';

import { useEffect, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import type { MailServerState } from '@/modules/mail-server/schema';
import type { DkimKey } from '../../dkim/schema';
import type { Domain } from '../../schema';
import { PublishedKey } from './published-key';
import { useRefreshDkim } from './use-dkim';

type ActivateDialogProps = {
  domain: Domain;
  /** Null while the dialog is closed. */
  dkimKey: DkimKey | null;
  active: DkimKey | undefined;
  mailServer: MailServerState;
  onClose: () => void;
};

const EFFECTS: Record<MailServerState, string> = {
  attached: 'The mail server starts signing with this key within seconds.',
  silent: 'The mail agent is not responding. The mail server signs with this key once the agent is back.',
  none: 'No mail server is attached. The next one to be attached signs with this key.',
};

export function ActivateDialog({ domain, dkimKey, active, mailServer, onClose }: ActivateDialogProps) {
  const refresh = useRefreshDkim(domain.id);
  const [shown, setShown] = useState({ dkimKey, active });
  const activate = trpc.domains.activateDkim.useMutation({
    onSuccess: async () => {
      onClose();
      await refresh();
    },
    onError: refresh,
  });

  const lookup = trpc.domains.lookUpDkim.useQuery(
    { id: domain.id, selector: dkimKey?.selector ?? '' },
    { enabled: dkimKey !== null, staleTime: 0, gcTime: 0, retry: false },
  );
  const isPublished = lookup.data?.status === 'ok';

  // Keeps the content unchanged during the closing transition.
  useEffect(() => {
    if (dkimKey) setShown({ dkimKey, active });
  }, [dkimKey, active]);

  return (
    <ConfirmDialog
      opened={dkimKey !== null}
      title={`Activate ${shown.dkimKey?.selector ?? 'key'}`}
      action={lookup.isFetching || isPublished ? 'Activate key' : 'Activate anyway'}
      problem={activate.error ? toProblem(activate.error) : null}
      isBusy={activate.isPending || (dkimKey !== null && lookup.isPending)}
      onClose={() => {
        activate.reset();
        onClose();
      }}
      onConfirm={() => dkimKey && activate.mutate({ id: domain.id, selector: dkimKey.selector })}
    >
      <p className="soft">
        {EFFECTS[mailServer]}{' '}
        {shown.active && (
          <>
            The key <code>{shown.active.selector}</code> is retired. You can reactivate it later.
          </>
        )}
      </p>
      <p className="soft">
        The DNS record <code className="wrap">{shown.dkimKey?.dns_record.name}</code> must be published by then, or
        signatures fail verification.
      </p>
      <PublishedKey lookup={lookup.data} isFailed={lookup.isError} />
    </ConfirmDialog>
  );
}

'use client';

import { useEffect, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import type { MailServerState } from '@/modules/mail-server/schema';
import type { DkimKey } from '../../dkim/schema';
import type { Domain } from '../../schema';
import { useRefreshDkim } from './use-dkim';

type ActivateDialogProps = {
  domain: Domain;
  /** Null while nothing is asked. */
  dkimKey: DkimKey | null;
  active: DkimKey | undefined;
  mailServer: MailServerState;
  onClose: () => void;
};

const SIGNS: Record<MailServerState, string> = {
  attached: 'Within seconds the mail server signs with it.',
  silent: 'The agent of the mail server is silent. Once it is back, the mail server signs with this key.',
  none: 'No mail server is attached. Once one is, it signs with this key.',
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

  // So that nothing in it changes while it closes.
  useEffect(() => {
    if (dkimKey) setShown({ dkimKey, active });
  }, [dkimKey, active]);

  return (
    <ConfirmDialog
      opened={dkimKey !== null}
      title={`Activate ${shown.dkimKey?.selector ?? 'the key'}`}
      action="Activate the key"
      problem={activate.error ? toProblem(activate.error) : null}
      isBusy={activate.isPending}
      onClose={() => {
        activate.reset();
        onClose();
      }}
      onConfirm={() => dkimKey && activate.mutate({ id: domain.id, selector: dkimKey.selector })}
    >
      <p className="soft">
        {SIGNS[mailServer]}{' '}
        {shown.active && (
          <>
            The key <code>{shown.active.selector}</code> is retired, and can be taken back.
          </>
        )}
      </p>
      <p className="soft">
        Receivers have to find the record <code className="wrap">{shown.dkimKey?.dns_record.name}</code> by then, or
        they take the signatures for broken.
      </p>
    </ConfirmDialog>
  );
}

'use client';

import { useEffect, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { StatusMark } from '@/components/marks/status-mark';
import { RawText } from '@/components/text/raw-text';
import type { MailServerState } from '@/modules/mail-server/schema';
import type { DkimKey, DkimLookup } from '../../dkim/schema';
import type { Domain } from '../../schema';
import { statusLabel } from '../dns/dns-values';
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

type PublishedKeyProps = { lookup: DkimLookup | undefined; isFailed: boolean };

/** Shows the DNS record of a key that is about to sign. */
function PublishedKey({ lookup, isFailed }: PublishedKeyProps) {
  if (isFailed) return <StatusMark status="warning">The lookup of the record failed.</StatusMark>;
  if (!lookup) return <p className="soft">Looking up the record…</p>;
  const { status, message, fix, found } = lookup;
  return (
    <div role="status">
      <StatusMark status={status === 'ok' ? 'on' : status === 'temporary_error' ? 'warning' : 'bounced'}>
        {status === 'ok' ? 'Published' : statusLabel(status)}
      </StatusMark>
      <p className="soft">
        {message} {fix}
      </p>
      {status !== 'ok' && found.length > 0 && <RawText>{found.join('\n')}</RawText>}
    </div>
  );
}

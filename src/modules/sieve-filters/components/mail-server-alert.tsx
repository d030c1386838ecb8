'use client';

import { trpc } from '@/components/api/trpc';
import { StatusMark } from '@/components/marks/status-mark';
import type { MailServerState } from '@/modules/mail-server/schema';

/** Undefined while loading. If loading fails, assumes `attached`; a later check reports the error. */
export function useMailServerState(): MailServerState | undefined {
  const found = trpc.mailServer.get.useQuery({}, { refetchInterval: 15_000 });
  return found.data?.state ?? (found.isError ? 'attached' : undefined);
}

/** Reserves the space of the page until the mail server's state is known, so that the alert shifts nothing. */
export function FilterSkeleton() {
  return (
    <div aria-busy="true" className="filter-skeleton">
      <span className="skeleton" style={{ width: 240 }} />
    </div>
  );
}

export function MailServerAlert({ state }: { state: 'none' | 'silent' }) {
  return (
    <div className="alert filter-alert" data-tone="deferred">
      <StatusMark status="warning">
        {state === 'silent' ? 'The mail agent is not responding' : 'No mail server is attached'}
      </StatusMark>
      <p>
        The mail server checks every script before it is saved. You can’t add filters or change scripts until{' '}
        {state === 'silent' ? (
          <>
            the agent is running. Start it on the mail server’s host: <code>npm run mail-agent</code>.
          </>
        ) : (
          'one is attached.'
        )}{' '}
        You can still rename, reorder, activate and deactivate filters.
      </p>
    </div>
  );
}

'use client';

import { trpc } from '@/components/api/trpc';
import { StatusMark } from '@/components/marks/status-mark';
import type { MailServerState } from '@/modules/mail-server/schema';

/** Undefined until it is known; where nobody can say, a check will. */
export function useMailServer(): MailServerState | undefined {
  const found = trpc.mailServer.get.useQuery({}, { refetchInterval: 15_000 });
  return found.data?.state ?? (found.isError ? 'attached' : undefined);
}

/** Holds the place of what stands below the notice, so that nothing moves when it comes. */
export function Waiting() {
  return (
    <div aria-busy="true" className="filter-waiting">
      <span className="skeleton" style={{ width: 240 }} />
    </div>
  );
}

export function NoMailServer({ state }: { state: 'none' | 'silent' }) {
  return (
    <div className="alert filter-alert" data-tone="deferred">
      <StatusMark status="warning">
        {state === 'silent' ? 'The agent of the mail server is silent' : 'No mail server is attached'}
      </StatusMark>
      <p>
        The mail server’s compiler checks every script before it is saved, so that none can be added or changed until{' '}
        {state === 'silent' ? (
          <>
            the agent is back; start it on the mail server’s host: <code>npm run mail-agent</code>.
          </>
        ) : (
          'one is attached.'
        )}{' '}
        Names, order and state can.
      </p>
    </div>
  );
}

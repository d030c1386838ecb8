'use client';

import { trpc } from '@/components/api/trpc';
import { StatusMark } from '@/components/marks/status-mark';

/** Undefined until it is known; where nobody can say, a check will. */
export function useIsAttached(): boolean | undefined {
  const found = trpc.mailServer.get.useQuery({}, { refetchInterval: 15_000 });
  return found.data?.is_attached ?? (found.isError ? true : undefined);
}

/** Holds the place of what stands below the notice, so that nothing moves when it comes. */
export function Waiting() {
  return (
    <div aria-busy="true" className="filter-waiting">
      <span className="bone" style={{ width: 240 }} />
    </div>
  );
}

export function NoMailServer() {
  return (
    <div className="alert filter-alert" data-tone="deferred">
      <StatusMark status="warning">No mail server is attached</StatusMark>
      <p>
        Its compiler checks every script before it is saved, so that none can be added or changed until one is attached.
        Names, order and state can.
      </p>
    </div>
  );
}

'use client';

import { trpc } from '@/components/api/trpc';
import { StatusMark } from '@/components/marks/status-mark';

/** Undefined until it is known. */
export function useIsAttached(): boolean | undefined {
  return trpc.sieveFilters.mailServer.useQuery({}, { refetchInterval: 15_000 }).data?.attached;
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

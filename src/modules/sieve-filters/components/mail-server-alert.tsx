'use client';

import { Box } from '@mantine/core';
import { trpc } from '@/components/api/trpc';
import { Notice } from '@/components/layout/notice';
import { Skeleton } from '@/components/marks/skeleton';
import type { MailServerState } from '@/modules/mail-server/schema';
import classes from './mail-server-alert.module.css';

/** Undefined while loading. If loading fails, assumes `attached`; a later check reports the error. */
export function useMailServerState(): MailServerState | undefined {
  const found = trpc.mailServer.get.useQuery({}, { refetchInterval: 15_000 });
  return found.data?.state ?? (found.isError ? 'attached' : undefined);
}

/** Reserves the space of the page until the mail server's state is known, so that the alert shifts nothing. */
export function FilterSkeleton() {
  return (
    <div aria-busy="true" className={classes.skeleton}>
      <Skeleton width={240} />
    </div>
  );
}

export function MailServerAlert({ state }: { state: 'none' | 'silent' }) {
  return (
    <Box mt="lg">
      <Notice
        status="warning"
        title={state === 'silent' ? 'The mail agent is not responding' : 'No mail server is attached'}
      >
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
      </Notice>
    </Box>
  );
}

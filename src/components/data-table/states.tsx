'use client';

import { Button, Group } from '@mantine/core';
import type { ReactNode } from 'react';
import { type Problem, toProblem } from '../api/problem';
import { IconRefresh } from '../icons/icons';
import { Note } from '../layout/note';
import { StatusMark } from '../marks/status-mark';
import { DetailsList } from '../text/details-list';
import { CopyIcon } from '../values/copy-button';
import classes from './states.module.css';

/** Shown in place of a short table that has no rows. */
export function NoRows({ children }: { children: ReactNode }) {
  return <p className={classes.noRows}>{children}</p>;
}

type EmptyStateProps = { title: string; children: ReactNode; aside?: ReactNode };

export function EmptyState({ title, children, aside }: EmptyStateProps) {
  return (
    <Note isSplit={Boolean(aside)}>
      <div>
        <h2 data-large>{title}</h2>
        {children}
      </div>
      {aside}
    </Note>
  );
}

type ErrorStateProps = { what: string; error: unknown; onRetry?: () => void; children?: ReactNode };

export function ErrorState({ what, error, onRetry, children }: ErrorStateProps) {
  const problem = toProblem(error);
  return (
    <Note role="alert">
      <StatusMark status="failed">Couldn’t load {what}</StatusMark>
      <h2>{problem.code === 'INTERNAL_ERROR' ? 'The server couldn’t process this request' : problem.message}</h2>
      <p>{advice(problem)}</p>
      <Group pt="md">
        {onRetry && (
          <Button variant="outline" leftSection={<IconRefresh stroke={1.5} />} onClick={onRetry}>
            Retry
          </Button>
        )}
        {children}
      </Group>
      <DetailsList>
        <dt>Code</dt>
        <dd className="mono">{problem.status > 0 ? `${problem.code} (${problem.status})` : problem.code}</dd>
        {problem.requestId && (
          <>
            <dt>Request</dt>
            <dd>
              <span className="mono clip">{problem.requestId}</span>
              <CopyIcon value={problem.requestId} what="the request ID" />
            </dd>
          </>
        )}
      </DetailsList>
    </Note>
  );
}

function advice({ status, code, requestId }: Problem): string {
  if (code === 'NO_RESPONSE') return 'Check your connection, or retry in a moment.';
  if (code === 'PROXY_ERROR') return 'Retry in a moment. If it keeps failing, look at the log of the proxy.';
  if (code === 'INVALID_PAGINATION')
    return 'The page link belongs to other filters. Clear the filters to start from the first page.';
  if (status === 429) return 'Too many requests from your IP address. Wait a minute, then retry.';
  if (status === 403) return 'You don’t have permission. A super admin can change your role or domains.';
  if (status === 404) return 'It may have been deleted, or it belongs to a domain you don’t have access to.';
  if (status < 500) return 'The request was invalid. Check the link, or clear the filters.';
  return `Retry in a moment. If it keeps failing, ${requestId ? 'search the server log for the request ID' : 'check the server log'}.`;
}

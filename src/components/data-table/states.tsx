'use client';

import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { type Problem, toProblem } from '../api/problem';
import { CopyIcon } from '../copy-button';
import { StatusMark } from '../marks/status-mark';

type EmptyStateProps = { title: string; children: ReactNode; aside?: ReactNode };

export function EmptyState({ title, children, aside }: EmptyStateProps) {
  return (
    <div className="state-note" data-split={aside ? true : undefined}>
      <div>
        <h2 data-large>{title}</h2>
        {children}
      </div>
      {aside}
      <div className="blank" aria-hidden="true" />
    </div>
  );
}

type ErrorStateProps = { what: string; error: unknown; onRetry?: () => void; children?: ReactNode };

export function ErrorState({ what, error, onRetry, children }: ErrorStateProps) {
  const problem = toProblem(error);
  return (
    <div className="state-note" role="alert">
      <StatusMark status="failed">Could not load {what}</StatusMark>
      <h2>{problem.status >= 500 ? 'The server could not answer this request' : problem.message}</h2>
      <p>{advice(problem)}</p>
      <div className="row-actions">
        {onRetry && (
          <Button variant="outline" leftSection={<IconRefresh stroke={1.5} />} onClick={onRetry}>
            Try again
          </Button>
        )}
        {children}
      </div>
      <dl className="details-list">
        <dt>Code</dt>
        <dd className="mono">{problem.status > 0 ? `${problem.code} (${problem.status})` : problem.code}</dd>
        {problem.requestId && (
          <>
            <dt>Request</dt>
            <dd>
              <span className="mono clip">{problem.requestId}</span>
              <CopyIcon value={problem.requestId} what="the request id" />
            </dd>
          </>
        )}
      </dl>
      <div className="blank" aria-hidden="true" />
    </div>
  );
}

function advice({ status, code }: Problem): string {
  if (code === 'NO_ANSWER') return 'Mail goes on being sent and received. Try again in a moment.';
  if (code === 'INVALID_PAGINATION')
    return 'The address of this page names a place in the list that no longer fits its filters.';
  if (status === 429) return 'This address has asked too often. Wait a minute, then try again.';
  if (status === 403) return 'Your role or your domains do not reach it. A super admin can change that.';
  if (status === 404) return 'It may have been deleted, or it belongs to a domain you cannot see.';
  if (status < 500) return 'The request did not fit. Clear the filters and try again.';
  return 'Mail goes on being sent and received. If this keeps failing, the request id finds the cause in the server’s log.';
}

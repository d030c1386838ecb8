'use client';

import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { StatusMark } from '../marks/status-mark';

type CrashProps = { digest: string | undefined; onRetry: () => void };

export function Crash({ digest, onRetry }: CrashProps) {
  return (
    <main id="main" className="page">
      <div className="state-note" role="alert">
        <StatusMark status="failed">This page stopped</StatusMark>
        <h1>The console made a mistake drawing this page</h1>
        <p>
          Mail goes on being sent and received, and nothing you stored is lost. Try again; if it stops again, report it.
        </p>
        <div className="row-actions">
          <Button variant="outline" leftSection={<IconRefresh stroke={1.5} />} onClick={onRetry}>
            Try again
          </Button>
        </div>
        {digest && (
          <dl className="details-list">
            <dt>Code</dt>
            <dd className="mono">{digest}</dd>
          </dl>
        )}
      </div>
    </main>
  );
}

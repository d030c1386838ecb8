'use client';

import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { StatusMark } from '../marks/status-mark';

type CrashProps = { digest: string | undefined; onRetry: () => void };

export function Crash({ digest, onRetry }: CrashProps) {
  return (
    <main id="main" className="page">
      <div className="state-note" role="alert">
        <StatusMark status="failed">Page error</StatusMark>
        <h1>This page couldn’t be displayed</h1>
        <p>
          This is a bug in the console. Your data is not affected. Reload the page, and report it if it happens again.
        </p>
        <div className="row-actions">
          <Button variant="outline" leftSection={<IconRefresh stroke={1.5} />} onClick={onRetry}>
            Reload
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

'use client';

import { Button } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import Link from 'next/link';
import type { Problem } from '@/components/api/problem';
import { EmptyState } from '@/components/data-table/states';
import { StatusMark } from '@/components/marks/status-mark';

export function NothingWaits({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) {
    return (
      <EmptyState title="No message fits">
        <p>Nothing that waits in the queue has all of these.</p>
        <div className="row-actions">
          <Button onClick={onClear}>Clear the filters</Button>
        </div>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="Nothing waits">
      <p>
        The mail server has delivered or returned all it took. What it cannot deliver at once stands here, with the
        reason.
      </p>
    </EmptyState>
  );
}

type QueueProblemNoteProps = { problem: Problem; onRetry: () => void };

/** Where the queue cannot be looked into: there is none, or its mail server could not tell. */
export function QueueProblemNote({ problem, onRetry }: QueueProblemNoteProps) {
  if (problem.details.mail_server === 'silent') return <SilentAgent onRetry={onRetry} />;
  if (problem.details.mail_server === 'none') return <NoMailServer onRetry={onRetry} />;
  return (
    <div className="state-note" role="alert">
      <StatusMark status="failed">Could not read the queue</StatusMark>
      <h2>{problem.message}</h2>
      <p>
        Postfix may be stopped on the mail server’s host. See which part is down there:{' '}
        <code>deploy/mail/stack health /etc/postroom-mail</code>. What waits is kept on its disk.
      </p>
      <div className="row-actions">
        <Button variant="outline" leftSection={<IconRefresh stroke={1.5} />} onClick={onRetry}>
          Retry
        </Button>
      </div>
      <p className="mono">
        {problem.code}
        {problem.requestId && `, request ${problem.requestId}`}
      </p>
    </div>
  );
}

function NoMailServer({ onRetry }: { onRetry: () => void }) {
  return (
    <EmptyState title="No mail server is attached">
      <p>
        This page shows the queue of a Postfix with Postroom’s agent beside it, and none has told of itself in the last
        seconds. In the sandbox nothing waits in a queue: see <Link href="/messages">Messages</Link> for what became of
        your mail. A server that only <code>SMTP_URL</code> names keeps a queue of its own, which cannot be seen from
        here.
      </p>
      <p>
        <code>docs/mail-server.md</code> in Postroom’s folder tells how to set up a mail server and attach it.
      </p>
      <LookAgain onRetry={onRetry} />
    </EmptyState>
  );
}

function SilentAgent({ onRetry }: { onRetry: () => void }) {
  return (
    <EmptyState title="The agent of the mail server is silent">
      <p>
        The queue is read through it, and it has told nothing of itself in the last seconds. Mail comes in and goes out
        all the same; what mailboxes submit by SMTP waits with them, and what happens is told once it is back.
      </p>
      <p>
        Look on the mail server’s host: <code>systemctl status postroom-mail-agent</code>, or start it in Postroom’s
        folder there: <code>npm run mail-agent</code>. It needs the database to answer.
      </p>
      <LookAgain onRetry={onRetry} />
    </EmptyState>
  );
}

function LookAgain({ onRetry }: { onRetry: () => void }) {
  return (
    <div className="row-actions">
      <Button variant="outline" leftSection={<IconRefresh stroke={1.5} />} onClick={onRetry}>
        Look again
      </Button>
    </div>
  );
}

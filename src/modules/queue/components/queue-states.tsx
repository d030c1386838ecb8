'use client';

import { Button, Group } from '@mantine/core';
import type { Problem } from '@/components/api/problem';
import { EmptyState } from '@/components/data-table/states';
import { IconRefresh } from '@/components/icons/icons';
import { Note } from '@/components/layout/note';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';

export function EmptyQueue() {
  return (
    <EmptyState title="The queue is empty">
      <p>
        No message is waiting for delivery. Messages that your mail server can’t deliver immediately appear here with
        the reason.
      </p>
    </EmptyState>
  );
}

type QueueUnavailableProps = { problem: Problem; onRetry: () => void };

/** Shown if the queue can't be read: no mail server, no agent, or a failure. */
export function QueueUnavailable({ problem, onRetry }: QueueUnavailableProps) {
  if (problem.details.mail_server === 'silent') return <AgentNotResponding onRetry={onRetry} />;
  if (problem.details.mail_server === 'none') return <NoMailServer onRetry={onRetry} />;
  return (
    <Note role="alert">
      <StatusMark status="failed">Couldn’t load the queue</StatusMark>
      <h2>{problem.message}</h2>
      <p>
        Postfix may be stopped. To see which service is down, run{' '}
        <code>deploy/mail/stack health /etc/postroom-mail</code> on the mail server’s host. Queued messages stay on its
        disk.
      </p>
      <Group pt="md">
        <Button variant="outline" leftSection={<IconRefresh stroke={1.5} />} onClick={onRetry}>
          Retry
        </Button>
      </Group>
      <p className="mono">
        {problem.code}
        {problem.requestId && `, request ${problem.requestId}`}
      </p>
    </Note>
  );
}

function NoMailServer({ onRetry }: { onRetry: () => void }) {
  return (
    <EmptyState title="No mail server is attached">
      <p>
        This page shows the queue of a Postfix server that runs Postroom’s mail agent, and no agent has reported in
        recently. The sandbox has no queue: see <NearLink href="/messages">Messages</NearLink> for the status of your
        mail. The queue of a server that is set only in <code>SMTP_URL</code> can’t be shown.
      </p>
      <p>
        To set up a mail server and attach it, see the chapter{' '}
        <NearLink href="/docs/mail-server">Your own mail server</NearLink>.
      </p>
      <RetryButton onRetry={onRetry} />
    </EmptyState>
  );
}

function AgentNotResponding({ onRetry }: { onRetry: () => void }) {
  return (
    <EmptyState title="The mail agent is not responding">
      <p>
        Postroom reads the queue through the agent. Until it is back, mailboxes can’t submit by SMTP; mail programs
        retry. If Postfix and the database are running, other mail is still received and delivered, and reported later.
      </p>
      <p>
        On the mail server’s host, check <code>systemctl status postroom-mail-agent</code>, or run{' '}
        <code>npm run mail-agent</code> in Postroom’s folder. The agent needs a connection to the database.
      </p>
      <RetryButton onRetry={onRetry} />
    </EmptyState>
  );
}

function RetryButton({ onRetry }: { onRetry: () => void }) {
  return (
    <Group pt="md">
      <Button variant="outline" leftSection={<IconRefresh stroke={1.5} />} onClick={onRetry}>
        Retry
      </Button>
    </Group>
  );
}

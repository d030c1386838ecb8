'use client';

import { Button } from '@mantine/core';
import Link from 'next/link';
import { trpc } from '@/components/api/trpc';
import { ErrorNote } from '@/components/ledger/notes';
import { StatusMark } from '@/components/marks/status-mark';
import { PageHead } from '@/components/page-head';
import { Page } from '@/components/shell/page';
import { formatBytes, formatFull } from '@/lib/format';
import { MessageView, MessageViewBones } from './message-view';

const CRUMB = { label: 'Messages', href: '/messages' };

export function MessagePage({ id }: { id: string }) {
  const { data: message, isError, error, refetch } = trpc.messages.get.useQuery({ id }, { refetchInterval: 10_000 });

  if (isError && !message) {
    return (
      <Page>
        <PageHead crumb={CRUMB} title="Message" lede="Not shown" />
        <ErrorNote what="this message" error={error} onRetry={() => void refetch()}>
          <Button component={Link} href="/messages">
            All messages
          </Button>
        </ErrorNote>
      </Page>
    );
  }
  return (
    <Page>
      <PageHead
        crumb={CRUMB}
        title={message ? message.subject || '(no subject)' : '\u00a0'}
        lede={
          message && (
            <>
              <StatusMark status={message.status} />
              <span>{formatFull(message.created_at)}</span>
              <span>{formatBytes(message.size)}</span>
            </>
          )
        }
      />
      <div className="message-sheet">{message ? <MessageView message={message} /> : <MessageViewBones />}</div>
    </Page>
  );
}

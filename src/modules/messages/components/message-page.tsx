'use client';

import { LoadFailed } from '@/components/load-failed';
import { StatusMark } from '@/components/marks/status-mark';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { formatBytes, formatFull } from '@/lib/format';
import classes from './message-page.module.css';
import { MessageView, MessageViewSkeleton } from './message-view';
import { useMessage } from './use-message';

const CRUMB = { label: 'Messages', href: '/messages' };

export function MessagePage({ id }: { id: string }) {
  const { data: message, isError, error, refetch } = useMessage(id);

  if (isError && !message) {
    return <LoadFailed parent={CRUMB} title="Message" error={error} onRetry={() => void refetch()} />;
  }
  return (
    <Page>
      <PageHeader
        parent={CRUMB}
        title={message ? message.subject || '(no subject)' : '\u00a0'}
        description={
          message && (
            <>
              <StatusMark status={message.status} />
              <span>{formatFull(message.created_at)}</span>
              <span>{formatBytes(message.size)}</span>
            </>
          )
        }
      />
      <div className={classes.sheet}>{message ? <MessageView message={message} /> : <MessageViewSkeleton />}</div>
    </Page>
  );
}

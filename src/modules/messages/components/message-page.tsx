'use client';

import { Button } from '@mantine/core';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import type { ReactNode } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { IconDownload } from '@/components/icons/icons';
import { LoadFailed } from '@/components/load-failed';
import { OutcomeMarks } from '@/components/marks/outcome-marks';
import { PageHeader } from '@/components/page-header';
import { PageTabs } from '@/components/page-tabs';
import { SettingsSkeleton } from '@/components/settings-section';
import { Page } from '@/components/shell/page';
import { formatBytes, formatFull } from '@/lib/format';
import type { MessageContent } from '../content/schema';
import type { Message } from '../schema';
import { AttachmentsTab } from './content/attachments-tab';
import { ContentTab } from './content/content-tab';
import { HeadersTab } from './content/headers-tab';
import { canResend, ResendButton } from './content/resend-button';
import { type ContentQuery, useContent } from './content/use-content';
import classes from './message-page.module.css';
import { MessageView, MessageViewSkeleton } from './message-view';
import { useMessage } from './use-message';

const CRUMB = { label: 'Messages', href: '/messages' };
const TABS = ['overview', 'content', 'headers', 'attachments'] as const;
const CURRENT_TAB = parseAsStringLiteral(TABS).withDefault('overview').withOptions({ history: 'push' });

export function MessagePage({ id }: { id: string }) {
  const { data: message, isError, error, refetch } = useMessage(id);

  if (isError && !message) {
    return <LoadFailed parent={CRUMB} title="Message" error={error} onRetry={() => void refetch()} />;
  }
  const isKept = message?.content.state === 'kept';
  return (
    <Page>
      <PageHeader
        hasTabs={isKept}
        parent={CRUMB}
        title={message && (message.subject || '(no subject)')}
        description={message && <Description message={message} />}
      >
        {message && isKept && <Actions message={message} />}
      </PageHeader>
      {message && isKept ? <MessageTabs message={message} /> : <Overview message={message} />}
    </Page>
  );
}

function Description({ message }: { message: Message }) {
  const { created_at: at, size } = message;
  return (
    <>
      <OutcomeMarks message={message} />
      <span>{formatFull(at)}</span>
      <span>{formatBytes(size)}</span>
    </>
  );
}

function Actions({ message }: { message: Message }) {
  return (
    <>
      <Button
        component="a"
        href={`/api/v1/messages/${message.id}/raw`}
        download
        leftSection={<IconDownload stroke={1.5} />}
      >
        Download .eml
      </Button>
      {canResend(message) && <ResendButton message={message} />}
    </>
  );
}

function Overview({ message }: { message: Message | undefined }) {
  return <div className={classes.sheet}>{message ? <MessageView message={message} /> : <MessageViewSkeleton />}</div>;
}

function MessageTabs({ message }: { message: Message }) {
  const [tab, setTab] = useQueryState('tab', CURRENT_TAB);
  const query = useContent(message);
  const count = query.data?.attachments.length;
  const show = (present: (content: MessageContent) => ReactNode) => <Loaded query={query}>{present}</Loaded>;
  return (
    <PageTabs
      label="Message"
      isWaiting={false}
      current={tab}
      onChange={(next) => void setTab(next)}
      tabs={{
        overview: { title: 'Overview', content: () => <Overview message={message} /> },
        content: { title: 'Content', content: () => show((content) => <ContentTab content={content} />) },
        headers: { title: 'Headers', content: () => show((content) => <HeadersTab content={content} />) },
        attachments: {
          title: count ? `Attachments ${count}` : 'Attachments',
          content: () => show((content) => <AttachmentsTab id={message.id} content={content} />),
        },
      }}
    />
  );
}

function Loaded({ query, children }: { query: ContentQuery; children: (content: MessageContent) => ReactNode }) {
  if (query.data) return children(query.data);
  if (query.error) return <ProblemAlert problem={toProblem(query.error)} title="Couldn’t load the content" />;
  return <SettingsSkeleton heights={[360]} />;
}

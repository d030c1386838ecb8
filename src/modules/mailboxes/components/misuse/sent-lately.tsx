'use client';

import { Button } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { Cell } from '@/components/data-table/cells';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { ErrorState, NoRows } from '@/components/data-table/states';
import { Figures } from '@/components/layout/figures';
import { NearLink } from '@/components/near-link';
import { SegmentedControl } from '@/components/segmented-control';
import { SettingsSection } from '@/components/settings-section';
import { TimeAgo } from '@/components/values/time-ago';
import { formatCount } from '@/lib/format';
import { messagesHref } from '@/lib/messages-href';
import type { Mailbox, SentLately as Sent } from '../../schema';
import { usualText } from './misuse-signs';
import classes from './sent-lately.module.css';

const PERIODS = { 24: '24 hours', 168: '7 days' } as const;
type Hours = keyof typeof PERIODS;

export function SentLately({ mailbox: { id, email } }: { mailbox: Mailbox }) {
  const [hours, setHours] = useState<Hours>(24);
  const sent = trpc.mailboxes.sentLately.useQuery({ id, hours }, { placeholderData: keepPreviousData });
  const { data } = sent;
  const undelivered = data && data.recipients > 0 ? Math.round((data.undelivered / data.recipients) * 100) : 0;

  return (
    <SettingsSection title="Sent mail" hint="Look for recipients the owner never writes to, and for other networks.">
      {sent.isError && !data ? (
        <ErrorState what="the sent mail" error={sent.error} onRetry={() => void sent.refetch()} />
      ) : (
        <div className={classes.sent}>
          <SegmentedControl
            label="Period"
            value={String(hours) as `${Hours}`}
            options={PERIODS}
            onChange={(value) => setHours(Number(value) as Hours)}
          />
          {data?.messages !== 0 && (
            <Figures
              figures={[
                {
                  key: 'messages',
                  title: 'Messages',
                  value: data?.messages,
                  caption: captionOf(data),
                  href: data && messagesHref('sent', { start: data.since, from: email }),
                },
                { key: 'recipients', title: 'Recipients', value: data?.recipients, caption: 'in all' },
                {
                  key: 'undelivered',
                  title: 'Undelivered',
                  value: data?.undelivered,
                  caption: `${undelivered}% bounced or failed`,
                },
              ]}
            />
          )}
          {data && data.sources.length > 0 ? (
            <>
              <DataTable
                caption="Who sent, and from where"
                columns={SOURCES}
                rows={data.sources}
                rowKey={({ source, by, client_address, api_key_id }) =>
                  [source, by, client_address, api_key_id].join(' ')
                }
              />
              <DataTable
                caption="Domains of the recipients"
                columns={DOMAINS}
                rows={data.recipient_domains}
                rowKey={({ domain }) => domain}
              />
            </>
          ) : (
            data && <NoRows>{`No messages in the last ${PERIODS[hours]}.`}</NoRows>
          )}
          {data?.sources.some(({ api_key_id }) => api_key_id !== null) && (
            <p className="soft">
              An API key isn’t stopped by a new password.{' '}
              <Button component={NearLink} href="/api-keys" size="xs">
                Look at the API keys
              </Button>
            </p>
          )}
        </div>
      )}
    </SettingsSection>
  );
}

function captionOf(sent: Sent | undefined): string {
  if (!sent) return '\u00a0';
  return sent.is_complete ? `usually ${usualText(sent.usual_per_day)}` : 'or more; the newest are shown';
}

/** A figure, which has no header on a narrow screen. */
function Counted({ count, what }: { count: number; what: string }) {
  return (
    <>
      {formatCount(count)}
      <span className="only-narrow">{`\u00a0${what}`}</span>
    </>
  );
}

type Source = Sent['sources'][number];

const SOURCE_LABELS: Record<Source['source'], string> = {
  smtp: 'Mail program',
  api_key: 'API key',
  console: 'Console',
};

const SOURCES: DataTableColumn<Source>[] = [
  {
    header: 'Sent from',
    mobile: 'lead',
    cell: ({ source, client_address: address, by, api_key_id: keyId }) => (
      <Cell>
        {keyId ? (
          <NearLink href={`/messages?${new URLSearchParams({ key: keyId })}`}>{SOURCE_LABELS[source]}</NearLink>
        ) : (
          SOURCE_LABELS[source]
        )}{' '}
        <span className="mono">{source === 'smtp' ? (address ?? 'this host') : by}</span>
      </Cell>
    ),
  },
  {
    header: 'Messages',
    kind: 'figure',
    width: 96,
    mobile: 'side',
    cell: ({ messages }) => <Counted count={messages} what={messages === 1 ? 'message' : 'messages'} />,
  },
  { header: 'Last', width: 128, mobile: 'under', cell: ({ last_at }) => <TimeAgo iso={last_at} /> },
];

const DOMAINS: DataTableColumn<Sent['recipient_domains'][number]>[] = [
  { header: 'Recipients at', mobile: 'lead', cell: ({ domain }) => <span className="mono">{domain}</span> },
  {
    header: 'Recipients',
    kind: 'figure',
    width: 96,
    mobile: 'side',
    cell: ({ recipients }) => <Counted count={recipients} what={recipients === 1 ? 'recipient' : 'recipients'} />,
  },
  {
    header: 'Undelivered',
    kind: 'figure',
    width: 128,
    mobile: 'under',
    cell: ({ undelivered }) => <Counted count={undelivered} what="undelivered" />,
  },
];

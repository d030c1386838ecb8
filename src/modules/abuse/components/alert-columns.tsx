import { Button } from '@mantine/core';
import { IconCheck, IconEye, type IconProps, IconRotate } from '@tabler/icons-react';
import Link from 'next/link';
import type { ComponentType } from 'react';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { DateTime } from '@/components/date-time';
import { EmailAddress } from '@/components/email-address';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import type { AbuseAlert } from '../schema';

const KINDS: Record<AbuseAlert['kind'], [Status, string]> = {
  mailbox_suspended: ['failed', 'Suspended'],
  rate_limited: ['bounced', 'Over its limit'],
  volume_spike: ['warning', 'Spike'],
  webhook_failing: ['failed', 'Failing'],
};

const STATES: Record<AbuseAlert['status'], string> = { open: 'Open', acknowledged: 'Acknowledged', closed: 'Closed' };

type Act = (alert: AbuseAlert, status: AbuseAlert['status']) => void;

export function alertColumns(onAct: Act, isBusy: boolean): DataTableColumn<AbuseAlert>[] {
  return [
    {
      key: 'kind',
      header: 'Alert',
      width: 136,
      kind: 'mark',
      mobile: 'mark',
      skeletonWidth: 88,
      cell: ({ kind }) => <StatusMark status={KINDS[kind][0]}>{KINDS[kind][1]}</StatusMark>,
    },
    {
      key: 'subject',
      header: 'About',
      width: 248,
      mobile: 'lead',
      skeletonWidth: 160,
      cell: ({ subject, mailbox_id: id }) =>
        id ? (
          <Link className="link" href={`/mailboxes/${id}`}>
            <EmailAddress value={subject} />
          </Link>
        ) : (
          <EmailAddress value={subject} />
        ),
    },
    {
      key: 'message',
      header: 'What happened',
      mobile: 'under',
      skeletonWidth: 240,
      cell: (alert) => (
        <span className="clip" title={alert.message}>
          {whatHappened(alert)}
        </span>
      ),
    },
    {
      key: 'status',
      header: 'State',
      width: 112,
      isOptional: true,
      skeletonWidth: 56,
      cell: ({ status }) => STATES[status],
    },
    {
      key: 'time',
      header: 'Raised',
      width: 104,
      kind: 'figure',
      mobile: 'side',
      className: 'mono soft line',
      skeletonWidth: 56,
      cell: ({ created_at }) => <DateTime iso={created_at} />,
    },
    {
      key: 'acts',
      header: <span className="sr-only">Acknowledge or close</span>,
      width: 232,
      kind: 'control',
      mobile: 'tail',
      skeletonWidth: 120,
      cell: (alert) => <Acts alert={alert} onAct={onAct} isBusy={isBusy} />,
    },
  ];
}

function whatHappened({ kind, count, expected }: AbuseAlert): string {
  if (kind === 'webhook_failing') return `${formatCount(count)} failures in a row`;
  const measure = kind === 'volume_spike' ? `usually ${expected.toFixed(1)}` : `the limit is ${formatCount(expected)}`;
  return `${formatCount(count)} in an hour, ${measure}`;
}

function Acts({ alert, onAct, isBusy }: { alert: AbuseAlert; onAct: Act; isBusy: boolean }) {
  const act = (status: AbuseAlert['status'], word: string, Icon: ComponentType<IconProps>) => (
    <Button
      size="xs"
      variant="subtle"
      disabled={isBusy}
      aria-label={`${word}: ${alert.subject}`}
      title={word}
      onClick={() => onAct(alert, status)}
    >
      <Icon size={16} stroke={1.75} aria-hidden="true" />
      <span className="only-wide">&nbsp;{word}</span>
    </Button>
  );
  if (alert.status === 'closed') return act('open', 'Open again', IconRotate);
  return (
    <span className="cell">
      {alert.status === 'open' && act('acknowledged', 'Acknowledge', IconEye)}
      {act('closed', 'Close', IconCheck)}
    </span>
  );
}

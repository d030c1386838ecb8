import { Button } from '@mantine/core';
import { IconCheck, IconEye, type IconProps, IconRotate } from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { Cell, RowLink } from '@/components/data-table/cells';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { type Status, StatusMark } from '@/components/marks/status-mark';
import { DateTime } from '@/components/values/date-time';
import { EmailAddress } from '@/components/values/email-address';
import { formatCount, formatPlural } from '@/lib/format';
import type { Alert } from '@/modules/alerts/schema';

const KINDS: Record<Alert['kind'], [Status, string]> = {
  mailbox_suspended: ['failed', 'Suspended'],
  rate_limited: ['bounced', 'Over limit'],
  volume_spike: ['warning', 'Spike'],
  webhook_failing: ['failed', 'Failing'],
  wrong_passwords: ['warning', 'Guessing'],
  dns_broken: ['failed', 'DNS'],
  content_store: ['failed', 'Storage'],
  system_down: ['failed', 'System down'],
  system_degraded: ['deferred', 'System degraded'],
};

const STATUSES: Record<Alert['status'], string> = { open: 'Open', acknowledged: 'Acknowledged', closed: 'Closed' };

type SetStatus = (alert: Alert, status: Alert['status']) => void;

export function alertColumns(onSetStatus: SetStatus, isBusy: boolean): DataTableColumn<Alert>[] {
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
      header: 'Subject',
      width: 248,
      mobile: 'lead',
      skeletonWidth: 160,
      cell: ({ subject, mailbox_id: id }) =>
        id ? (
          <RowLink href={`/mailboxes/${id}`}>
            <EmailAddress value={subject} />
          </RowLink>
        ) : (
          <EmailAddress value={subject} />
        ),
    },
    {
      key: 'message',
      header: 'Details',
      mobile: 'under',
      skeletonWidth: 240,
      cell: (alert) => (
        <span className="clip" title={alert.message}>
          {describe(alert)}
        </span>
      ),
    },
    {
      key: 'status',
      header: 'Status',
      width: 112,
      isOptional: true,
      skeletonWidth: 56,
      cell: ({ status }) => STATUSES[status],
    },
    {
      key: 'time',
      header: 'Raised',
      width: 104,
      kind: 'figure',
      mobile: 'side',
      className: 'mono soft',
      skeletonWidth: 56,
      cell: ({ created_at }) => <DateTime iso={created_at} />,
    },
    {
      key: 'actions',
      header: <span className="sr-only">Acknowledge or close</span>,
      width: 232,
      kind: 'control',
      mobile: 'tail',
      skeletonWidth: 120,
      cell: (alert) => <AlertActions alert={alert} onSetStatus={onSetStatus} isBusy={isBusy} />,
    },
  ];
}

function describe({ kind, count, expected }: Alert): string {
  if (kind === 'webhook_failing') return `${formatCount(count)} failures in a row`;
  if (kind === 'dns_broken') return `${formatPlural(count, 'record')} missing or wrong`;
  if (kind === 'wrong_passwords') return `${formatCount(count)} different wrong passwords in 15 minutes`;
  const measure = kind === 'volume_spike' ? `usually ${expected.toFixed(1)}` : `limit ${formatCount(expected)}`;
  return `${formatPlural(count, 'message')} in an hour (${measure})`;
}

function AlertActions({ alert, onSetStatus, isBusy }: { alert: Alert; onSetStatus: SetStatus; isBusy: boolean }) {
  const button = (status: Alert['status'], label: string, Icon: ComponentType<IconProps>) => (
    <Button
      size="xs"
      variant="subtle"
      disabled={isBusy}
      aria-label={`${label}: ${alert.subject}`}
      title={label}
      onClick={() => onSetStatus(alert, status)}
    >
      <Icon size={16} stroke={1.75} aria-hidden="true" />
      <span className="only-wide">&nbsp;{label}</span>
    </Button>
  );
  if (alert.status === 'closed') return button('open', 'Reopen', IconRotate);
  return (
    <Cell>
      {alert.status === 'open' && button('acknowledged', 'Acknowledge', IconEye)}
      {button('closed', 'Close', IconCheck)}
    </Cell>
  );
}

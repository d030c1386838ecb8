import { ActionIcon } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { Cell } from '@/components/data-table/cells';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';
import { EmailAddress } from '@/components/values/email-address';
import { formatAge, formatBytes, formatCount, formatFull } from '@/lib/format';
import type { QueuedMessage } from '../schema';
import { QUEUE_LABELS, senderLabel, waitReason } from './queue-labels';

type QueueColumnsOptions = { openId: string | null; onOpen: (id: string | null) => void };

export function queueColumns({ openId, onOpen }: QueueColumnsOptions): DataTableColumn<QueuedMessage>[] {
  return [
    {
      key: 'status',
      header: 'Status',
      width: 116,
      kind: 'mark',
      mobile: 'mark',
      skeletonWidth: 72,
      cell: ({ queue }) => <StatusMark status={QUEUE_LABELS[queue][0]}>{QUEUE_LABELS[queue][1]}</StatusMark>,
    },
    {
      key: 'from',
      header: 'From',
      width: 192,
      isOptional: true,
      skeletonWidth: 152,
      cell: ({ from }) =>
        from === '' ? <span className="quiet">{senderLabel(from)}</span> : <EmailAddress value={from} isLight />,
    },
    {
      key: 'to',
      header: 'To',
      width: 208,
      mobile: 'lead',
      skeletonWidth: 172,
      cell: ({ recipients: [first], recipient_count: count }) => (
        <Cell>
          {first && <EmailAddress value={first.address} />}
          {count > 1 && <span className="quiet">+{formatCount(count - 1)}</span>}
        </Cell>
      ),
    },
    {
      key: 'reason',
      header: 'Reason',
      mobile: 'under',
      skeletonWidth: 184,
      cell: (message) => {
        const reason = waitReason(message);
        return (
          <span
            className="clip"
            title={message.recipients.find((recipient) => recipient.reason !== null)?.reason ?? reason}
          >
            {reason}
          </span>
        );
      },
    },
    {
      key: 'arrived',
      header: 'Arrived',
      width: 108,
      mobile: 'side',
      sortBy: 'arrived_at',
      className: 'soft',
      skeletonWidth: 64,
      cell: ({ arrived_at: iso }) => (
        <time dateTime={iso} title={formatFull(iso)}>
          {formatAge(iso)}
        </time>
      ),
    },
    {
      key: 'size',
      header: 'Size',
      width: 72,
      isOptional: true,
      kind: 'figure',
      className: 'soft',
      skeletonWidth: 40,
      cell: ({ size }) => formatBytes(size),
    },
    {
      key: 'open',
      header: <span className="sr-only">Details</span>,
      width: 36,
      kind: 'tail',
      mobile: 'tail',
      cell: ({ queue_id: id, recipients: [first] }) => {
        const isOpen = id === openId;
        const Chevron = isOpen ? IconChevronUp : IconChevronDown;
        return (
          <ActionIcon
            aria-label={`Details of ${id}, to ${first?.address ?? 'no recipient'}`}
            aria-expanded={isOpen}
            onClick={() => onOpen(isOpen ? null : id)}
          >
            <Chevron size={16} stroke={1.5} />
          </ActionIcon>
        );
      },
    },
  ];
}

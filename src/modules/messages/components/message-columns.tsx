import { Cell, RowLink } from '@/components/data-table/cells';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';
import { DateTime } from '@/components/values/date-time';
import { EmailAddress } from '@/components/values/email-address';
import { formatBytes } from '@/lib/format';
import type { MessageSummary } from '../schema';

type Column = DataTableColumn<MessageSummary>;
type OpenLink = (message: MessageSummary) => { href: string; onClick: (event: React.MouseEvent) => void };

export function messageColumns(isNarrow: boolean, link: OpenLink): Column[] {
  const status: Column = {
    key: 'status',
    header: 'Status',
    width: 112,
    kind: 'mark',
    mobile: 'mark',
    skeletonWidth: 72,
    cell: (message) => <StatusMark status={message.status} />,
  };
  const time: Column = {
    key: 'time',
    header: 'Time',
    width: isNarrow ? 104 : 116,
    mobile: 'side',
    sortBy: 'created_at',
    className: 'mono soft',
    skeletonWidth: 64,
    cell: ({ created_at }) => <DateTime iso={created_at} />,
  };
  const from: Column = {
    key: 'from',
    header: 'From',
    width: 232,
    isOptional: true,
    skeletonWidth: 160,
    cell: ({ from: sender }) => <EmailAddress value={sender} isLight />,
  };
  const to: Column = {
    key: 'to',
    header: 'To',
    width: isNarrow ? 208 : 252,
    mobile: 'lead',
    skeletonWidth: 172,
    cell: ({ to: [first, ...others] }) => (
      <Cell>
        {first && <EmailAddress value={first} />}
        {others.length > 0 && (
          <span className="quiet" title={others.join(', ')}>
            +{others.length}
          </span>
        )}
      </Cell>
    ),
  };
  const subject: Column = {
    key: 'subject',
    header: 'Subject',
    mobile: 'under',
    skeletonWidth: 168,
    cell: (message) => (
      <RowLink prefetch={false} data-row={message.id} {...link(message)}>
        <span className="clip">{message.subject || '(no subject)'}</span>
      </RowLink>
    ),
  };
  const size: Column = {
    key: 'size',
    header: 'Size',
    width: 80,
    isOptional: true,
    kind: 'figure',
    className: 'soft',
    skeletonWidth: 40,
    cell: ({ size: bytes }) => formatBytes(bytes),
  };
  return isNarrow ? [status, time, to, subject] : [status, time, from, to, subject, size];
}

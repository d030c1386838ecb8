import { Addr } from '@/components/address';
import type { LedgerColumn } from '@/components/ledger/ledger';
import { StatusMark } from '@/components/marks/status-mark';
import { Moment } from '@/components/moment';
import { formatBytes } from '@/lib/format';
import type { MessageSummary } from '../schema';

type Column = LedgerColumn<MessageSummary>;
type OpenLink = (message: MessageSummary) => { href: string; onClick: (event: React.MouseEvent) => void };

export function messageColumns(isNarrow: boolean, link: OpenLink): Column[] {
  const outcome: Column = {
    key: 'outcome',
    header: 'Outcome',
    width: 112,
    kind: 'mark',
    fold: 'mark',
    bone: 72,
    cell: ({ status }) => <StatusMark status={status} />,
  };
  const time: Column = {
    key: 'time',
    header: 'Time',
    width: isNarrow ? 104 : 116,
    fold: 'side',
    sortBy: 'created_at',
    className: 'mono soft line',
    bone: 64,
    cell: ({ created_at }) => <Moment iso={created_at} />,
  };
  const from: Column = {
    key: 'from',
    header: 'From',
    width: 232,
    isSpare: true,
    className: 'light',
    bone: 160,
    cell: ({ from: sender }) => <Addr value={sender} />,
  };
  const to: Column = {
    key: 'to',
    header: 'To',
    width: isNarrow ? 208 : 252,
    fold: 'lead',
    bone: 172,
    cell: ({ to: [first, ...others] }) => (
      <span className="cell">
        {first && <Addr value={first} />}
        {others.length > 0 && (
          <span className="quiet" title={others.join(', ')}>
            +{others.length}
          </span>
        )}
      </span>
    ),
  };
  const subject: Column = {
    key: 'subject',
    header: 'Subject',
    fold: 'under',
    bone: 168,
    cell: (message) => (
      <a className="link" data-row={message.id} {...link(message)}>
        <span className="clip">{message.subject || '(no subject)'}</span>
      </a>
    ),
  };
  const size: Column = {
    key: 'size',
    header: 'Size',
    width: 80,
    isSpare: true,
    kind: 'figure',
    className: 'soft',
    bone: 40,
    cell: ({ size: bytes }) => formatBytes(bytes),
  };
  return isNarrow ? [outcome, time, to, subject] : [outcome, time, from, to, subject, size];
}

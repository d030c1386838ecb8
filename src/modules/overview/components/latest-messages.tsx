import Link from 'next/link';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { DateTime } from '@/components/date-time';
import { EmailAddress } from '@/components/email-address';
import { StatusMark } from '@/components/marks/status-mark';
import type { Overview } from '../schema';

type Latest = Overview['latest'][number];

export function LatestMessages({ messages }: { messages: Latest[] }) {
  return (
    <section aria-labelledby="latest">
      <div className="section">
        <h2 id="latest">Latest messages</h2>
        <Link className="act spacer" href="/messages">
          All messages
        </Link>
      </div>
      {messages.length === 0 ? (
        <p className="soft align-top pad">No messages yet. Send a test to see it here.</p>
      ) : (
        <div className="align-top">
          <DataTable
            caption="Latest messages, newest first"
            columns={COLUMNS}
            rows={messages}
            rowKey={({ id }) => id}
            rowHref={({ id }) => `/messages?peek=${id}`}
            hideHeader
          />
        </div>
      )}
    </section>
  );
}

const COLUMNS: DataTableColumn<Latest>[] = [
  {
    key: 'status',
    header: 'Status',
    width: 112,
    kind: 'mark',
    mobile: 'mark',
    cell: ({ status }) => <StatusMark status={status} />,
  },
  {
    key: 'to',
    header: 'To',
    width: 288,
    mobile: 'lead',
    cell: ({ to: [first = ''] }) => <EmailAddress value={first} />,
  },
  {
    key: 'subject',
    header: 'Subject',
    mobile: 'under',
    cell: ({ id, subject }) => (
      <Link className="link" href={`/messages?peek=${id}`}>
        <span className="clip">{subject || '(no subject)'}</span>
      </Link>
    ),
  },
  {
    key: 'time',
    header: 'Time',
    width: 120,
    kind: 'figure',
    mobile: 'side',
    className: 'mono soft line',
    cell: ({ created_at }) => <DateTime iso={created_at} />,
  },
];

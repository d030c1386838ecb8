import Link from 'next/link';
import { Addr } from '@/components/address';
import { Ledger, type LedgerColumn } from '@/components/ledger/ledger';
import { StatusMark } from '@/components/marks/status-mark';
import { Moment } from '@/components/moment';
import type { Overview } from '../schema';

type Latest = Overview['latest'][number];

export function LatestMessages({ messages }: { messages: Latest[] }) {
  return (
    <section aria-labelledby="latest">
      <div className="section">
        <h2 id="latest">Latest messages</h2>
        <Link className="act push" href="/messages">
          All messages
        </Link>
      </div>
      {messages.length === 0 ? (
        <p className="soft topped pad">The messages sent and received last will stand here.</p>
      ) : (
        <div className="topped">
          <Ledger
            caption="Latest messages, newest first"
            columns={COLUMNS}
            rows={messages}
            rowKey={({ id }) => id}
            rowHref={({ id }) => `/messages?peek=${id}`}
            headless
          />
        </div>
      )}
    </section>
  );
}

const COLUMNS: LedgerColumn<Latest>[] = [
  {
    key: 'outcome',
    header: 'Outcome',
    width: 112,
    kind: 'mark',
    fold: 'mark',
    cell: ({ status }) => <StatusMark status={status} />,
  },
  {
    key: 'to',
    header: 'To',
    width: 288,
    fold: 'lead',
    cell: ({ to: [first = ''] }) => <Addr value={first} />,
  },
  {
    key: 'subject',
    header: 'Subject',
    fold: 'under',
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
    fold: 'side',
    className: 'mono soft line',
    cell: ({ created_at }) => <Moment iso={created_at} />,
  },
];

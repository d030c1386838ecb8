import { RowLink } from '@/components/data-table/cells';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { NoRows } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { OutcomeMarks } from '@/components/marks/outcome-marks';
import { NearLink } from '@/components/near-link';
import { EmailAddress } from '@/components/values/email-address';
import { TimeAgo } from '@/components/values/time-ago';
import type { Overview } from '../schema';

type Latest = Overview['latest'][number];

export function LatestMessages({ messages }: { messages: Latest[] }) {
  return (
    <section aria-labelledby="latest">
      <SectionHeading title="Latest messages" id="latest" isUnderlined={messages.length > 0}>
        <NearLink className="act spacer" href="/messages">
          All messages
        </NearLink>
      </SectionHeading>
      {messages.length === 0 ? (
        <NoRows>No messages yet. Send a test to see it here.</NoRows>
      ) : (
        <DataTable
          caption="Latest messages, newest first"
          columns={COLUMNS}
          rows={messages}
          rowHref={({ id }) => `/messages?peek=${id}`}
          hideHeader
        />
      )}
    </section>
  );
}

const COLUMNS: DataTableColumn<Latest>[] = [
  {
    header: 'Status',
    width: 112,
    kind: 'mark',
    mobile: 'mark',
    cell: (message) => <OutcomeMarks message={message} />,
  },
  {
    header: 'To',
    width: 288,
    mobile: 'lead',
    cell: ({ to: [first = ''] }) => <EmailAddress value={first} />,
  },
  {
    header: 'Subject',
    mobile: 'under',
    cell: ({ id, subject }) => (
      <RowLink href={`/messages?peek=${id}`}>
        <span className="clip">{subject || '(no subject)'}</span>
      </RowLink>
    ),
  },
  {
    header: 'Time',
    width: 120,
    kind: 'figure',
    mobile: 'under-side',
    className: 'soft',
    cell: ({ created_at }) => <TimeAgo iso={created_at} />,
  },
];

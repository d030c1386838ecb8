import type { ReactNode } from 'react';
import { trpc } from '@/components/api/trpc';
import { Cell, Copyable, RowLink } from '@/components/data-table/cells';
import type { DataTableColumn, ListColumn } from '@/components/data-table/data-table';
import { NoRows } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { ExportButton } from '@/components/list/export-csv';
import { ListView } from '@/components/list/list-view';
import { useList } from '@/components/list/use-list';
import { sortBy, useListSearch } from '@/components/list/use-list-search';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { EmailAddress } from '@/components/values/email-address';
import { formatCount } from '@/lib/format';
import type { SortOf } from '@/lib/lists';
import { senderList } from '../lists';
import type { AbuseSender } from '../schema';

const MAX_SENDERS = 20;
type Period = SortOf<typeof senderList>;

const PERIODS: Record<Period, string> = { sent_last_hour: 'Last hour', sent_last_24h: '24 hours' };

const SEARCH = {
  filters: {},
  view: { sort: sortBy(senderList, { sort: 'sent_last_24h' }).sort },
};

type SendersProps = { domainId: string | undefined; children: ReactNode };

/** Renders `children` only after the senders are loaded, so that they don't move. */
export function Senders({ domainId, children }: SendersProps) {
  const search = useListSearch(SEARCH);
  const { sort } = search.values;
  const list = useList(senderList, trpc.abuse.senders, {
    // The smallest senders are of no interest.
    search: {
      ...search,
      sort: {
        field: sort,
        isChosen: false,
        order: 'desc',
        onSort: (field) => search.change({ sort: field as Period }),
      },
    },
    input: { domain_id: domainId },
    limit: MAX_SENDERS,
    isCounted: false,
  });
  const { data, isError } = list.query;
  return (
    <>
      <section aria-labelledby="senders">
        <SectionHeading title={`Top ${MAX_SENDERS} senders`} id="senders">
          <span className="spacer" />
          <ExportButton list={{ ...list, what: 'senders' }} />
        </SectionHeading>
        <ListView
          list={list}
          empty={<NoRows>No messages sent in the last 24 hours.</NoRows>}
          caption={`Top ${MAX_SENDERS} senders`}
          columns={COLUMNS[sort]}
          rowKey={({ address }) => address}
          rowHref={({ address }) => messagesOf(address)}
          skeletonRows={5}
          footer={null}
        />
      </section>
      {(data || isError) && children}
    </>
  );
}

function messagesOf(address: string): string {
  return `/messages?q=${encodeURIComponent(address)}`;
}

const ADDRESS: DataTableColumn<AbuseSender> = {
  header: 'Address',
  mobile: 'lead',
  skeletonWidth: 200,
  kind: 'copyable',
  cell: (sender) => (
    <Copyable value={sender.address} what="address">
      <Cell>
        <RowLink prefetch={false} aria-label={sender.address} href={messagesOf(sender.address)}>
          <EmailAddress value={sender.address} />
        </RowLink>
        <span className="only-narrow">
          <State sender={sender} />
        </span>
      </Cell>
    </Copyable>
  ),
};

const STATE: DataTableColumn<AbuseSender> = {
  header: 'State',
  width: 264,
  skeletonWidth: 72,
  cell: (sender) => <State sender={sender} />,
};

function State({ sender: { active, suspended, mailbox_id: mailboxId } }: { sender: AbuseSender }) {
  if (!suspended) return active === false && <StatusMark status="off" />;
  return (
    <Cell>
      <StatusMark status="failed">Suspended</StatusMark>
      <NearLink className="act" href={`/mailboxes/${mailboxId}/misuse`}>
        Check for misuse
      </NearLink>
    </Cell>
  );
}

const COLUMNS = { sent_last_hour: columnsBy('sent_last_hour'), sent_last_24h: columnsBy('sent_last_24h') };

/** On a narrow screen all figures are below the address, those that are sorted by first. */
function columnsBy(sort: Period): ListColumn<AbuseSender, typeof senderList>[] {
  const figure = { width: 112, kind: 'figure', skeletonWidth: 40 } as const;
  const sent = (period: Period): ListColumn<AbuseSender, typeof senderList> => ({
    ...figure,
    header: PERIODS[period],
    sortBy: period,
    firstOrder: 'desc',
    cell: (sender) => <Sent sender={sender} period={period} />,
  });
  return [
    ADDRESS,
    STATE,
    sent('sent_last_24h'),
    sent('sent_last_hour'),
    {
      ...figure,
      header: 'Hourly limit',
      mobile: 'under',
      cell: (sender) => (
        <>
          <span className="only-narrow">
            {sort === 'sent_last_24h' && `${formatCount(sender.sent_last_24h)} in 24 hours,\u00a0`}
            <SentCount sender={sender} period="sent_last_hour" />
            {`\u00a0of ${formatCount(sender.limit)} in the last hour`}
            {sort === 'sent_last_hour' && `, ${formatCount(sender.sent_last_24h)} in 24 hours`}
          </span>
          <span className="only-wide">{formatCount(sender.limit)}</span>
        </>
      ),
    },
  ];
}

const NEAR_LIMIT = 0.8;

type SentProps = { sender: AbuseSender; period: Period };

function Sent({ sender, period }: SentProps) {
  if (!isNearLimit(sender, period)) return formatCount(sender[period]);
  return (
    <span title={`Close to the hourly limit of ${formatCount(sender.limit)}`}>
      <SentCount sender={sender} period={period} />
    </span>
  );
}

function SentCount({ sender, period }: SentProps) {
  const count = formatCount(sender[period]);
  return isNearLimit(sender, period) ? <StatusMark status="warning">{count}</StatusMark> : count;
}

function isNearLimit(sender: AbuseSender, period: Period): boolean {
  return period === 'sent_last_hour' && sender.sent_last_hour >= NEAR_LIMIT * sender.limit;
}

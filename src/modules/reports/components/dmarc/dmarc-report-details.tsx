'use client';

import { trpc } from '@/components/api/trpc';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { ErrorState } from '@/components/data-table/states';
import { Skeleton } from '@/components/marks/skeleton';
import { DetailsList } from '@/components/text/details-list';
import { formatCount, formatFull } from '@/lib/format';
import type { DmarcReport, DmarcReportRow } from '../../dmarc/schema';
import { LeftOut } from '../left-out';
import classes from '../reports.module.css';
import { SentBy } from '../sent-by';

/** A report as it was sent: its policy, and each source with its results. */
export function DmarcReportDetails({ id }: { id: string }) {
  const { data, error, refetch } = trpc.reports.dmarcReport.useQuery({ id });
  if (error) return <ErrorState what="the report" error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton width={280} />;
  return (
    <>
      <DetailsList>
        <dt>Time</dt>
        <dd>
          {formatFull(data.begin)} to {formatFull(data.end)}
        </dd>
        <dt>Contact</dt>
        <dd className="wrap">{data.email}</dd>
        <SentBy sender={data.sender} />
        <dt>Report ID</dt>
        <dd className="mono wrap">{data.report_id}</dd>
        <dt>Policy</dt>
        <dd className="mono wrap">{policyOf(data.policy)}</dd>
        <LeftOut leftOut={data.left_out} />
        {data.errors.length > 0 && (
          <>
            <dt>Errors</dt>
            <dd className="wrap">{data.errors.join(' · ')}</dd>
          </>
        )}
      </DetailsList>
      <DataTable
        caption="Sources in the report, most messages first"
        className={classes.rows}
        columns={COLUMNS}
        rows={data.rows.map((row, position) => ({ ...row, position }))}
        rowKey={({ position }) => `${position}`}
      />
      {data.rows_total > data.rows.length && (
        <p className="quiet">
          Showing {formatCount(data.rows.length)} of {formatCount(data.rows_total)} sources.
        </p>
      )}
    </>
  );
}

function policyOf({ p, sp, np, adkim, aspf, pct }: DmarcReport['policy']): string {
  const tags = Object.entries({ p, sp, np, adkim, aspf, pct }).filter(([, value]) => value !== null);
  return tags.map(([name, value]) => `${name}=${value}`).join('; ');
}

function alignmentText(isAligned: boolean | null): string {
  if (isAligned === null) return 'Unknown';
  return isAligned ? 'Aligned' : 'Not aligned';
}

const COLUMNS: DataTableColumn<DmarcReportRow & { position: number }>[] = [
  {
    header: 'Source',
    width: 232,
    mobile: 'lead',
    cell: ({ ip, header_from }) => (
      <span className={classes.source}>
        <span className="mono clip">{ip}</span>
        <span className="quiet clip">From {header_from}</span>
      </span>
    ),
  },
  {
    header: 'DKIM',
    mobile: 'under',
    className: classes.reason,
    cell: ({ dkim, dkim_aligned }) => (
      <>
        {alignmentText(dkim_aligned)}
        {dkim.map(({ domain, result }) => `, ${domain} ${result}`)}
      </>
    ),
  },
  {
    header: 'SPF',
    mobile: 'none',
    className: classes.reason,
    cell: ({ spf, spf_aligned }) => (
      <>
        {alignmentText(spf_aligned)}
        {spf.map(({ domain, result }) => `, ${domain} ${result}`)}
      </>
    ),
  },
  {
    header: 'Outcome',
    width: 104,
    mobile: 'none',
    cell: ({ disposition }) => ({ none: 'Delivered', quarantine: 'Spam', reject: 'Rejected' })[disposition],
  },
  {
    header: 'Messages',
    width: 88,
    kind: 'figure',
    mobile: 'side',
    cell: ({ messages }) => formatCount(messages),
  },
];

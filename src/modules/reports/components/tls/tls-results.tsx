'use client';

import { keepPreviousData } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { trpc } from '@/components/api/trpc';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { EmptyState, ErrorState, NoRows } from '@/components/data-table/states';
import { Figures } from '@/components/layout/figures';
import { SectionHeading } from '@/components/layout/section-heading';
import { StatusMark } from '@/components/marks/status-mark';
import { CalendarDate } from '@/components/values/calendar-date';
import { formatCount, formatShare } from '@/lib/format';
import type { GetDomainResults } from '../../schema';
import type { DomainTls, TlsFailure } from '../../tls/schema';
import { ByDay } from '../by-day';
import { Dropped } from '../dropped';
import classes from '../reports.module.css';

type TlsResultsProps = {
  id: string;
  range: Omit<GetDomainResults, 'id'>;
  /** Below the results, once these have their final height. */
  children: ReactNode;
};

/** How often other servers failed to deliver over TLS, and why. */
export function TlsResults({ id, range, children }: TlsResultsProps) {
  const { data, error, refetch } = trpc.reports.domainTls.useQuery(
    { id, ...range },
    { placeholderData: keepPreviousData },
  );
  if (error && !data) return <ErrorState what="TLS results" error={error} onRetry={() => void refetch()} />;
  if (data?.totals.reports === 0) {
    return (
      <>
        <Dropped dropped={data.dropped} />
        <div className={classes.empty}>
          <EmptyState title="No TLS reports in this period">
            <p>
              Other servers send them once a day to the address in the TLS reports record, which the DNS tab lists. Most
              report only if the domain has an MTA-STS policy or DANE.
            </p>
          </EmptyState>
        </div>
        {children}
      </>
    );
  }
  return (
    <>
      <Totals totals={data?.totals} />
      {data && (
        <>
          <Dropped dropped={data.dropped} />
          <Failures failures={data.failures} total={data.failures_total} />
          <ByDay
            what="Sessions"
            labels={{ good: 'Encrypted', bad: 'Failed' }}
            days={data.series.map(({ at, sessions, failed_sessions: failed }) => ({
              at,
              good: sessions - failed,
              bad: failed,
            }))}
          />
          {children}
        </>
      )}
    </>
  );
}

function Totals({ totals }: { totals: DomainTls['totals'] | undefined }) {
  const failed = totals?.failed_sessions;
  const sessions = totals?.sessions ?? 0;
  const share = (part: number | undefined) =>
    part === undefined ? '\u00a0' : `${formatShare(part, sessions)} of sessions`;
  const good = failed === undefined ? undefined : sessions - failed;
  return (
    <Figures
      figures={[
        {
          key: 'sessions',
          title: <StatusMark status="received">Sessions</StatusMark>,
          value: totals?.sessions,
          caption: 'to deliver mail to you',
        },
        {
          key: 'good',
          title: <StatusMark status="delivered">Encrypted</StatusMark>,
          value: good,
          caption: share(good),
        },
        {
          key: 'failed',
          title: <StatusMark status="bounced">Failed</StatusMark>,
          value: failed,
          caption: share(failed),
        },
        { key: 'reports', title: 'Reports', value: totals?.reports, caption: 'in this period' },
        { key: 'organisations', title: 'Organizations', value: totals?.organisations, caption: 'that sent reports' },
      ]}
    />
  );
}

function Failures({ failures, total }: { failures: TlsFailure[]; total: number }) {
  return (
    <section aria-labelledby="tls-failures">
      <SectionHeading title="Failures" id="tls-failures" isUnderlined={failures.length === 0}>
        <span className="quiet">
          {total > failures.length
            ? `The ${formatCount(failures.length)} with the most sessions of ${formatCount(total)}`
            : formatCount(total)}
        </span>
      </SectionHeading>
      {failures.length === 0 ? (
        <NoRows>No failures. Every session in these reports was encrypted.</NoRows>
      ) : (
        <DataTable
          caption="TLS failures, most sessions first"
          className={classes.rows}
          columns={COLUMNS}
          rows={failures.map((failure, position) => ({ ...failure, position }))}
          rowKey={({ position }) => `${position}`}
        />
      )}
    </section>
  );
}

const COLUMNS: DataTableColumn<TlsFailure & { position: number }>[] = [
  {
    header: 'MX',
    width: 232,
    mobile: 'lead',
    className: 'mono',
    cell: ({ mx_host, receiving_ip }) => mx_host ?? receiving_ip ?? 'Unknown',
  },
  {
    header: 'Failure',
    mobile: 'under',
    className: classes.reason,
    cell: ({ meaning, result_type }) => (
      <span className={classes.source}>
        <span>{meaning}</span>
        <span className="mono quiet clip">{result_type}</span>
      </span>
    ),
  },
  {
    header: 'Reported by',
    width: 172,
    mobile: 'none',
    cell: ({ organisation }) => <span className="clip">{organisation}</span>,
  },
  {
    header: 'Sessions',
    width: 88,
    kind: 'figure',
    mobile: 'side',
    cell: ({ sessions }) => formatCount(sessions),
  },
  {
    header: 'Last',
    width: 88,
    kind: 'figure',
    mobile: 'none',
    className: 'soft',
    cell: ({ last_seen }) => <CalendarDate iso={last_seen} />,
  },
];

'use client';

import type { ReactNode } from 'react';
import { trpc } from '@/components/api/trpc';
import { ErrorState } from '@/components/data-table/states';
import { useList } from '@/components/list/use-list';
import { useListSearch } from '@/components/list/use-list-search';
import { Skeleton } from '@/components/marks/skeleton';
import { StatusMark } from '@/components/marks/status-mark';
import { DetailsList } from '@/components/text/details-list';
import { formatCount, formatFull, formatPlural } from '@/lib/format';
import { tlsReportList } from '../../tls/lists';
import { LeftOut } from '../left-out';
import { REPORTS_PER_PAGE, ReportList } from '../report-list';
import { SentBy } from '../sent-by';

export function TlsReports({ domainId }: { domainId: string }) {
  const search = useListSearch({ filters: {} });
  const list = useList(tlsReportList, trpc.reports.tlsReports, {
    search,
    input: { domain_id: domainId },
    limit: REPORTS_PER_PAGE,
    isCounted: false,
  });
  return (
    <ReportList
      kind="tls"
      list={list}
      mark={({ failed_sessions: failed }) =>
        failed === 0 ? (
          <StatusMark status="on">Encrypted</StatusMark>
        ) : (
          <StatusMark status="warning">{formatCount(failed)} failed</StatusMark>
        )
      }
      columns={[
        {
          key: 'sessions',
          header: 'Sessions',
          width: 104,
          kind: 'figure',
          mobile: 'side',
          cell: ({ sessions }) => formatCount(sessions),
        },
      ]}
      details={(id) => <TlsReportDetails id={id} />}
    />
  );
}

function TlsReportDetails({ id }: { id: string }) {
  const { data, error, refetch } = trpc.reports.tlsReport.useQuery({ id });
  if (error) return <ErrorState what="the report" error={error} onRetry={() => void refetch()} />;
  if (!data) return <Skeleton width={280} />;
  return (
    <DetailsList>
      <dt>Time</dt>
      <dd>
        {formatFull(data.begin)} to {formatFull(data.end)}
      </dd>
      <dt>Contact</dt>
      <dd className="wrap">{data.contact}</dd>
      <SentBy sender={data.sender} />
      <dt>Report ID</dt>
      <dd className="mono wrap">{data.report_id}</dd>
      <LeftOut leftOut={data.left_out} />
      {data.policies.map(({ type, mx_hosts, sessions, failed_sessions }) => (
        <PolicyLine key={`${type} ${mx_hosts.join()}`} label="Policy">
          {type}
          {mx_hosts.length > 0 && ` for ${mx_hosts.join(', ')}`}: {formatPlural(sessions, 'session')},{' '}
          {formatCount(failed_sessions)} failed
        </PolicyLine>
      ))}
      {data.failures.map(({ result_type, meaning, sessions, mx_host, sending_ip, additional_information }) => (
        <PolicyLine
          key={[result_type, mx_host, sending_ip, sessions, additional_information].join(' ')}
          label="Failure"
        >
          {formatPlural(sessions, 'session')}
          {mx_host && ` to ${mx_host}`}
          {sending_ip && ` from ${sending_ip}`}: {meaning} {additional_information}
        </PolicyLine>
      ))}
    </DetailsList>
  );
}

function PolicyLine({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <dt>{label}</dt>
      <dd>
        <span className="wrap">{children}</span>
      </dd>
    </>
  );
}

'use client';

import { keepPreviousData } from '@tanstack/react-query';
import { trpc } from '@/components/api/trpc';
import { useListSearch } from '@/components/list/use-list-search';
import { StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import { REPORTS_PER_PAGE, ReportList } from '../report-list';
import { DmarcReportDetails } from './dmarc-report-details';

export function DmarcReports({ domainId }: { domainId: string }) {
  const search = useListSearch({ filters: {} });
  const input = { domain_id: domainId, sort: 'begin', order: 'desc' } as const;
  const query = trpc.reports.dmarcReports.useQuery(
    { ...input, limit: REPORTS_PER_PAGE, cursor: search.history.cursor },
    { placeholderData: keepPreviousData },
  );
  return (
    <ReportList
      kind="dmarc"
      input={input}
      query={query}
      search={search}
      mark={({ failed, aligned }) => {
        if (failed > 0) return <StatusMark status="warning">{formatCount(failed)} failed</StatusMark>;
        return aligned > 0 ? (
          <StatusMark status="on">Passed</StatusMark>
        ) : (
          <StatusMark status="off">Unknown</StatusMark>
        );
      }}
      columns={[
        {
          key: 'messages',
          header: 'Messages',
          width: 104,
          kind: 'figure',
          mobile: 'side',
          cell: ({ messages }) => formatCount(messages),
        },
        {
          key: 'passed',
          header: 'Passed',
          width: 104,
          kind: 'figure',
          mobile: 'none',
          cell: ({ aligned }) => formatCount(aligned),
        },
      ]}
      details={(id) => <DmarcReportDetails id={id} />}
    />
  );
}

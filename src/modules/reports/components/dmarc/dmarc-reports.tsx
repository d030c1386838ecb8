'use client';

import { trpc } from '@/components/api/trpc';
import { useList } from '@/components/list/use-list';
import { useListSearch } from '@/components/list/use-list-search';
import { StatusMark } from '@/components/marks/status-mark';
import { formatCount } from '@/lib/format';
import { dmarcReportList } from '../../dmarc/lists';
import { REPORTS_PER_PAGE, ReportList } from '../report-list';
import { DmarcReportDetails } from './dmarc-report-details';

export function DmarcReports({ domainId }: { domainId: string }) {
  const search = useListSearch({ filters: {} });
  const list = useList(dmarcReportList, trpc.reports.dmarcReports, {
    search,
    input: { domain_id: domainId },
    limit: REPORTS_PER_PAGE,
    isCounted: false,
  });
  return (
    <ReportList
      kind="dmarc"
      list={list}
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

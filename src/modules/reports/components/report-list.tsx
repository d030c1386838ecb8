'use client';

import { parseAsString } from 'nuqs';
import type { ReactNode } from 'react';
import { detailsColumn } from '@/components/data-table/columns';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { timeLabels } from '@/components/data-table/pagination';
import { NoRows } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { ExportButton } from '@/components/list/export-csv';
import { ListView } from '@/components/list/list-view';
import type { ShownList } from '@/components/list/use-list';
import { useUrlState } from '@/components/url-state';
import { CalendarDate } from '@/components/values/calendar-date';
import { formatDate } from '@/lib/format';

export const REPORTS_PER_PAGE = 20;

type Summary = {
  id: string;
  domain_id: string;
  organisation: string;
  begin: string;
  days: number;
  source: 'mail' | 'upload';
};

type ReportListProps<Row extends Summary> = {
  kind: 'dmarc' | 'tls';
  list: ShownList<Row>;
  /** The figures of a report. */
  columns: DataTableColumn<Row>[];
  mark: (row: Row) => ReactNode;
  details: (id: string) => ReactNode;
};

const OPEN = { report: parseAsString };

/** Reports, newest first. The open one is in the URL. */
export function ReportList<Row extends Summary>({ kind, list, columns, mark, details }: ReportListProps<Row>) {
  const { values, open: openReport } = useUrlState(OPEN);
  const open = values.report;
  const toggle = ({ id }: Row) => openReport({ report: id === open ? null : id });
  return (
    <section aria-labelledby="reports">
      <SectionHeading title="Reports" id="reports">
        <span className="quiet">Newest first, of any period</span>
        <span className="spacer" />
        <ExportButton list={list} />
      </SectionHeading>
      <ListView
        list={list}
        empty={<NoRows>No reports yet.</NoRows>}
        pageLabels={timeLabels('desc')}
        caption="Reports, newest first"
        columns={[
          {
            header: 'Result',
            width: 136,
            kind: 'mark',
            mobile: 'mark',
            cell: mark,
          },
          {
            header: 'Day',
            width: 112,
            mobile: 'under',
            skeletonWidth: 48,
            cell: ({ begin, days }) => (
              <>
                <CalendarDate iso={begin} />
                {days > 1 && <span className="quiet"> {days} days</span>}
              </>
            ),
          },
          {
            header: 'Organization',
            mobile: 'lead',
            skeletonWidth: 160,
            cell: ({ organisation, source }) => (
              <span className="clip">
                {organisation} {source === 'upload' && <span className="quiet">uploaded</span>}
              </span>
            ),
          },
          ...columns,
          detailsColumn({
            labelOf: ({ organisation, begin }) => `Details of the report of ${organisation}, ${formatDate(begin)}`,
            isOpen: ({ id }) => id === open,
            onToggle: toggle,
          }),
        ]}
        rowHref={({ id, domain_id }) => `/domains/${domain_id}?view=reports&kind=${kind}&report=${id}`}
        onOpen={toggle}
        expanded={({ id }) => (id === open ? details(id) : null)}
        skeletonRows={5}
      />
    </section>
  );
}

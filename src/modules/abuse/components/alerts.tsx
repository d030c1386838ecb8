import { keepPreviousData } from '@tanstack/react-query';
import { parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import type { ReactNode } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { useCursorHistory } from '@/components/data-table/cursor-history';
import { DataTable } from '@/components/data-table/data-table';
import { Pagination } from '@/components/data-table/pagination';
import { ErrorState, NoRows } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { SegmentedControl } from '@/components/segmented-control';
import { alertColumns } from './alert-columns';

const STATUS_OPTIONS = { open: 'Open', acknowledged: 'Acknowledged', closed: 'Closed', all: 'All' } as const;

const filters = {
  show: parseAsStringLiteral(['open', 'acknowledged', 'closed', 'all']).withDefault('open'),
  cursor: parseAsString,
};

type AlertsProps = { domainId: string | undefined; children: ReactNode };

/** Renders `children` only after the alerts are loaded, so that they don't move. */
export function Alerts({ domainId, children }: AlertsProps) {
  const [{ show }, setState] = useQueryStates(filters);
  const history = useCursorHistory();
  const utils = trpc.useUtils();
  const status = show === 'all' ? undefined : show;
  const list = trpc.abuse.alerts.useQuery(
    { status, domain_id: domainId, cursor: history.cursor },
    { placeholderData: keepPreviousData },
  );
  const update = trpc.abuse.updateAlert.useMutation({ onSettled: () => utils.abuse.invalidate() });
  const rows = list.data?.items;

  return (
    <>
      <section aria-labelledby="alerts">
        <SectionHeading title="Alerts" id="alerts">
          <span className="spacer" />
          <SegmentedControl
            label="Status"
            value={show}
            options={STATUS_OPTIONS}
            onChange={(value) => void setState({ show: value, cursor: null })}
          />
        </SectionHeading>
        <ProblemAlert problem={update.error ? toProblem(update.error) : null} />
        {list.isError ? (
          <ErrorState what="alerts" error={list.error} onRetry={() => void list.refetch()} />
        ) : rows?.length === 0 && history.isFirst ? (
          <NoRows>{show === 'open' ? 'No open alerts.' : 'No matching alerts.'}</NoRows>
        ) : (
          <>
            <DataTable
              caption="Alerts, newest first"
              columns={alertColumns(({ id }, next) => update.mutate({ id, status: next }), update.isPending)}
              rows={rows}
              rowKey={({ id }) => id}
              isInactive={(alert) => alert.status === 'closed'}
              isStale={list.isPlaceholderData}
              skeletonRows={3}
            />
            <Pagination page={list.data} history={history} labels={{ back: 'Newer', forward: 'Older' }} />
          </>
        )}
      </section>
      {(rows || list.isError) && children}
    </>
  );
}

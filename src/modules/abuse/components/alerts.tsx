import { keepPreviousData } from '@tanstack/react-query';
import { parseAsStringLiteral } from 'nuqs';
import type { ReactNode } from 'react';
import { toProblem } from '@/components/api/problem';
import { ProblemAlert } from '@/components/api/problem-alert';
import { trpc } from '@/components/api/trpc';
import { timeLabels } from '@/components/data-table/pagination';
import { NoRows } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { ListView } from '@/components/list/list-view';
import { useListSearch } from '@/components/list/use-list-search';
import { SegmentedControl } from '@/components/segmented-control';
import { alertColumns } from './alert-columns';

const STATUS_OPTIONS = { open: 'Open', acknowledged: 'Acknowledged', closed: 'Closed', all: 'All' } as const;

const SEARCH = {
  filters: { show: parseAsStringLiteral(['open', 'acknowledged', 'closed', 'all']).withDefault('open') },
};

type AlertsProps = { domainId: string | undefined; children: ReactNode };

/** Renders `children` only after the alerts are loaded, so that they don't move. */
export function Alerts({ domainId, children }: AlertsProps) {
  const search = useListSearch(SEARCH);
  const { show } = search.values;
  const utils = trpc.useUtils();
  const status = show === 'all' ? undefined : show;
  const list = trpc.abuse.alerts.useQuery(
    { status, domain_id: domainId, cursor: search.history.cursor },
    { placeholderData: keepPreviousData },
  );
  const update = trpc.abuse.updateAlert.useMutation({ onSettled: () => utils.abuse.invalidate() });

  return (
    <>
      <section aria-labelledby="alerts">
        <SectionHeading title="Alerts" id="alerts">
          <span className="spacer" />
          <SegmentedControl
            label="Status"
            value={show}
            options={STATUS_OPTIONS}
            onChange={(value) => search.change({ show: value })}
          />
        </SectionHeading>
        <ProblemAlert problem={update.error ? toProblem(update.error) : null} />
        <ListView
          query={list}
          search={search}
          what="alerts"
          empty={<NoRows>No open alerts.</NoRows>}
          noMatches="No alert has this status."
          caption="Alerts, newest first"
          columns={alertColumns(({ id }, next) => update.mutate({ id, status: next }), update.isPending)}
          rowKey={({ id }) => id}
          isInactive={(alert) => alert.status === 'closed'}
          skeletonRows={3}
          pageLabels={timeLabels('desc')}
        />
      </section>
      {(list.data || list.isError) && children}
    </>
  );
}

'use client';

import { Button, Select } from '@mantine/core';
import { parseAsString, parseAsStringLiteral, useQueryState } from 'nuqs';
import { ifUnchanged } from '@/components/api/if-unchanged';
import { trpc } from '@/components/api/trpc';
import { PeriodFilter } from '@/components/data-table/filters';
import { timeLabels } from '@/components/data-table/pagination';
import { NoRows } from '@/components/data-table/states';
import { ListTools, ListView } from '@/components/list/list-view';
import { parseAsShow, ShowFilter } from '@/components/list/show-filter';
import { RANGE, rangeInput } from '@/components/list/since';
import { useList } from '@/components/list/use-list';
import { sortBy, useListSearch } from '@/components/list/use-list-search';
import { useRowActions } from '@/components/list/use-row-actions';
import { SELECTABLE } from '@/components/selection/select-column';
import { SelectionBar } from '@/components/selection/selection-bar';
import { useSelection } from '@/components/selection/use-selection';
import { formatPlural } from '@/lib/format';
import { choicesOf } from '@/lib/lists';
import { alertList } from '../lists';
import type { Alert } from '../schema';
import { alertColumns, nameOfAlert } from './alert-columns';
import { KIND_OPTIONS, KINDS, SEVERITIES, SEVERITY_OPTIONS } from './alert-values';
import classes from './alerts-page.module.css';

const CHOICES = {
  open: { label: 'Open', input: { status: 'open' } },
  acknowledged: { label: 'Acknowledged', input: { status: 'acknowledged' } },
  closed: { label: 'Closed', input: { status: 'closed' } },
  all: { label: 'All', input: {} },
} as const;

const SEARCH = {
  filters: {
    show: parseAsShow(CHOICES),
    kind: parseAsStringLiteral(choicesOf(KINDS)),
    severity: parseAsStringLiteral(choicesOf(SEVERITIES)),
    ...RANGE,
  },
  view: sortBy(alertList, { sort: 'severity' }),
};

const FIRST = {
  severity: { desc: 'critical', asc: 'warnings' },
  created_at: { desc: 'newest', asc: 'oldest' },
} as const;

const VERBS = { open: 'reopen', acknowledged: 'acknowledge', closed: 'close' } as const;
const DONE = { open: 'Reopened', acknowledged: 'Acknowledged', closed: 'Closed' } as const;

type AlertListProps = { onMute: (alert: Alert) => void };

export function AlertList({ onMute }: AlertListProps) {
  const [domain] = useQueryState('domain', parseAsString);
  const search = useListSearch(SEARCH);
  const { show, kind, severity, sort, order } = search.values;
  const utils = trpc.useUtils();
  const input = {
    ...CHOICES[show].input,
    kind: kind ?? undefined,
    severity: severity ?? undefined,
    domain_id: domain ?? undefined,
    ...rangeInput(search.values, search.history.now),
  };
  const list = useList(alertList, trpc.alerts.list, { search, input });
  const update = trpc.alerts.update.useMutation();
  const actions = useRowActions<Alert>({
    keyOf: ({ id }) => id,
    nameOf: nameOfAlerts,
    refresh: () => Promise.all([utils.alerts.invalidate(), utils.abuse.invalidate(), utils.overview.invalidate()]),
  });
  const selection = useSelection(list.query.data?.items ?? [], ({ id }) => id);
  const setStatus = (rows: Alert[], next: 'acknowledged' | 'closed' | 'open') => {
    selection.clear();
    const changed = rows.filter((alert) => alert.status !== next);
    if (changed.length === 0) return;
    actions.run({
      rows: changed,
      verb: VERBS[next],
      act: (alert) => update.mutateAsync(ifUnchanged('alert', alert, { id: alert.id, status: next })),
      text: (done) => `${DONE[next]} ${nameOfAlerts(done)}`,
    });
  };

  return (
    <>
      <ListTools list={list}>
        <ShowFilter search={search} choices={CHOICES} />
        <div className={classes.filters}>
          <Select
            aria-label="Kind"
            placeholder="All kinds"
            data={KIND_OPTIONS}
            clearable
            w={184}
            value={kind}
            onChange={(value) => search.change({ kind: value as Alert['kind'] | null })}
          />
          <Select
            aria-label="Severity"
            placeholder="Any severity"
            data={SEVERITY_OPTIONS}
            clearable
            w={136}
            value={severity}
            onChange={(value) => search.change({ severity: value as Alert['severity'] | null })}
          />
          <PeriodFilter range={search.values} onChange={search.change} />
        </div>
      </ListTools>
      <SelectionBar selection={selection} what="alerts">
        <Button size="xs" onClick={() => setStatus(selection.rowsNow().filter(isOpen), 'acknowledged')}>
          Acknowledge
        </Button>
        <Button size="xs" onClick={() => setStatus(selection.rowsNow(), 'closed')}>
          Close
        </Button>
      </SelectionBar>
      <ListView
        list={list}
        empty={<NoRows>No open alerts.</NoRows>}
        noMatches="No alert matches these filters."
        caption={`Alerts, ${FIRST[sort][order]} first`}
        className={SELECTABLE}
        columns={alertColumns({
          selection,
          onSetStatus: (alert, next) => setStatus([alert], next),
          onMute,
          isBusy: actions.isBusy,
        })}
        isSelected={selection.has}
        isInactive={(alert) => alert.status === 'closed'}
        skeletonRows={3}
        pageLabels={sort === 'created_at' ? timeLabels(order) : undefined}
      />
    </>
  );
}

const isOpen = ({ status }: Alert) => status === 'open';

function nameOfAlerts([first, ...others]: Alert[]): string {
  if (!first) return '';
  return others.length === 0 ? nameOfAlert(first) : formatPlural(others.length + 1, 'alert');
}

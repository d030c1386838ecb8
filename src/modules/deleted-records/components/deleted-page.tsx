'use client';

import { Button, Select } from '@mantine/core';
import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { ActiveFilter, PeriodFilter } from '@/components/data-table/filters';
import { timeLabels } from '@/components/data-table/pagination';
import { EmptyState } from '@/components/data-table/states';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { FailedRows } from '@/components/list/failed-rows';
import { ListTools, ListView } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { RANGE, rangeInput } from '@/components/list/since';
import { useList } from '@/components/list/use-list';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { PageHeader } from '@/components/page-header';
import { SELECTABLE, selectColumn } from '@/components/selection/select-column';
import { SelectionBar } from '@/components/selection/selection-bar';
import { useSelection } from '@/components/selection/use-selection';
import { Page } from '@/components/shell/page';
import { formatPlural } from '@/lib/format';
import { choicesOf } from '@/lib/lists';
import { deletedRecordList } from '../lists';
import type { DeletedRecord } from '../schema';
import { deletedColumns, KIND_LABELS } from './deleted-columns';
import { useRestoreRecords } from './use-restore-records';

const RestoreRecordDialog = lazyDialog(() =>
  import('./restore-record-dialog').then((module) => module.RestoreRecordDialog),
);

const SEARCH = {
  filters: {
    q: parseAsText,
    domain: parseAsString,
    kind: parseAsStringLiteral(choicesOf(KIND_LABELS)),
    by: parseAsString,
    ...RANGE,
  },
  view: { ...sortBy(deletedRecordList), restore: parseAsString },
};

export function DeletedPage() {
  const search = useListSearch(SEARCH);
  const { values, settled, change, open, history } = search;
  // Kept while its dialog closes.
  const [record, setRecord] = useState<DeletedRecord | null>(null);
  const input = {
    q: settled.q || undefined,
    domain_id: values.domain ?? undefined,
    kind: values.kind ?? undefined,
    deleted_by: values.by ?? undefined,
    ...rangeInput(values, history.now),
  };
  const list = useList(deletedRecordList, trpc.deletedRecords.list, { search, input });
  const rows = list.query.data?.items ?? [];
  const asked = rows.find(({ id }) => id === values.restore);
  if (asked && asked.id !== record?.id) setRecord(asked);
  const selection = useSelection(rows, ({ id }) => id);
  const { restore, restoreAddresses, isBusy, outcome, dismissOutcome } = useRestoreRecords();
  return (
    <Page>
      <PageHeader title="Recently deleted" description="What was deleted in the last 30 days and can be restored" />
      <ListTools list={list} hasClear>
        <SearchInput search={search} label="Filter by name" placeholder="Address or name" />
        <Select
          aria-label="Kind"
          placeholder="All kinds"
          data={Object.entries(KIND_LABELS).map(([value, label]) => ({ value, label }))}
          clearable
          w={152}
          value={values.kind}
          onChange={(kind) => change({ kind: kind as DeletedRecord['kind'] | null })}
        />
        <PeriodFilter range={values} onChange={change} />
        {values.by && <ActiveFilter name="By" value={emailOf(values.by, rows)} onRemove={() => change({ by: null })} />}
      </ListTools>
      <SelectionBar selection={selection} what="records">
        <Button
          size="xs"
          disabled={isBusy}
          onClick={() => {
            restore(selection.rowsNow());
            selection.clear();
          }}
        >
          Restore
        </Button>
      </SelectionBar>
      {outcome && (
        <FailedRows
          outcome={outcome}
          action={{ done: 'Restored', verb: 'restore' }}
          countOf={(count) => formatPlural(count, 'record')}
          keyOf={({ id }) => id}
          nameOf={({ name }) => <b>{name}</b>}
          onDismiss={dismissOutcome}
        />
      )}
      <ListView
        list={list}
        empty={<NothingDeleted />}
        noMatches="Nothing deleted in the last 30 days matches these filters."
        caption={`Deleted records, ${values.order === 'desc' ? 'newest' : 'oldest'} first`}
        className={SELECTABLE}
        columns={[
          selectColumn({ selection, nameOf: ({ name }) => name, mobile: 'mark' }),
          ...deletedColumns({
            onRestore: ({ id }) => open({ restore: id }),
            onFilterBy: ({ deleted_by: { id } }) => change({ by: id }),
          }),
        ]}
        isSelected={selection.has}
        pageLabels={timeLabels(values.order)}
      />
      {record && (
        <RestoreRecordDialog
          key={record.id}
          record={record}
          opened={record.id === asked?.id}
          onClose={() => open({ restore: null })}
          onRestoreAddresses={restoreAddresses}
        />
      )}
    </Page>
  );
}

/** The address of the admin, where a row has it. */
function emailOf(adminId: string, rows: DeletedRecord[]): string {
  return rows.find(({ deleted_by: { id } }) => id === adminId)?.deleted_by.email ?? adminId;
}

function NothingDeleted() {
  return (
    <EmptyState title="Nothing deleted">
      <p>
        Deleted domains, mailboxes, aliases, filters, templates, suppressions and webhooks can be restored for 30 days.
      </p>
    </EmptyState>
  );
}

'use client';

import { Select } from '@mantine/core';
import { parseAsString, parseAsStringLiteral } from 'nuqs';
import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { timeLabels } from '@/components/data-table/pagination';
import { EmptyState } from '@/components/data-table/states';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { ListTools, ListView } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { useList } from '@/components/list/use-list';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { choicesOf } from '@/lib/lists';
import { deletedRecordList } from '../lists';
import type { DeletedRecord } from '../schema';
import { deletedColumns, KIND_LABELS } from './deleted-columns';

const RestoreRecordDialog = lazyDialog(() =>
  import('./restore-record-dialog').then((module) => module.RestoreRecordDialog),
);

const SEARCH = {
  filters: { q: parseAsText, kind: parseAsStringLiteral(choicesOf(KIND_LABELS)) },
  view: { ...sortBy(deletedRecordList), restore: parseAsString },
};

export function DeletedPage() {
  const search = useListSearch(SEARCH);
  const { values, settled, change, open } = search;
  // Kept while its dialog closes.
  const [record, setRecord] = useState<DeletedRecord | null>(null);
  const input = { q: settled.q || undefined, kind: values.kind ?? undefined };
  const list = useList(deletedRecordList, trpc.deletedRecords.list, { search, input });
  const asked = list.query.data?.items.find(({ id }) => id === values.restore);
  if (asked && asked.id !== record?.id) setRecord(asked);
  return (
    <Page>
      <PageHeader title="Recently deleted" description="What was deleted in the last 30 days and can be restored" />
      <ListTools list={list}>
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
      </ListTools>
      <ListView
        list={list}
        empty={<NothingDeleted />}
        noMatches="Nothing deleted in the last 30 days matches these filters."
        caption={`Deleted records, ${values.order === 'desc' ? 'newest' : 'oldest'} first`}
        columns={deletedColumns(({ id }) => open({ restore: id }))}
        pageLabels={timeLabels(values.order)}
      />
      {record && (
        <RestoreRecordDialog
          key={record.id}
          record={record}
          opened={record.id === asked?.id}
          onClose={() => open({ restore: null })}
        />
      )}
    </Page>
  );
}

function NothingDeleted() {
  return (
    <EmptyState title="Nothing deleted">
      <p>Deleted domains, mailboxes, aliases, filters, templates and webhooks can be restored for 30 days.</p>
    </EmptyState>
  );
}

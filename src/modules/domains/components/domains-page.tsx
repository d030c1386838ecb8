'use client';

import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import Link from 'next/link';
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { useCursorHistory } from '@/components/data-table/cursor-history';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { Pagination } from '@/components/data-table/pagination';
import { EmptyState, ErrorState } from '@/components/data-table/states';
import { StatusMark } from '@/components/marks/status-mark';
import { PageHeader } from '@/components/page-header';
import { SegmentedControl } from '@/components/segmented-control';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import { formatCount, formatDate } from '@/lib/format';
import type { Domain } from '../schema';
import { AddDomainDialog } from './add-domain-dialog';

const SHOWN = { all: undefined, on: true, off: false } as const;

const filters = {
  q: parseAsString.withDefault(''),
  show: parseAsStringLiteral(['all', 'on', 'off']).withDefault('all'),
  sort: parseAsStringLiteral(['created_at', 'name']).withDefault('name'),
  order: parseAsStringLiteral(['asc', 'desc']).withDefault('asc'),
  new: parseAsBoolean.withDefault(false),
  cursor: parseAsString,
};

export function DomainsPage() {
  const [state, setState] = useQueryStates(filters);
  const trail = useCursorHistory();
  const mayChange = useHasRole('admin');
  const [q] = useDebouncedValue(state.q.trim(), 200);
  const list = trpc.domains.list.useQuery(
    { q: q || undefined, active: SHOWN[state.show], sort: state.sort, order: state.order, cursor: trail.cursor },
    { placeholderData: keepPreviousData },
  );
  const rows = list.data?.items;
  const isFiltered = q !== '' || state.show !== 'all';
  const isEmpty = rows?.length === 0 && trail.isFirst;

  return (
    <Page>
      <PageHeader title="Domains" description="Postroom sends from these domains and takes their mail">
        {mayChange && (
          <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={() => void setState({ new: true })}>
            Add a domain
          </Button>
        )}
        {mayChange === false && <span className="quiet">Adding one needs the role admin</span>}
      </PageHeader>
      <div className="tools">
        <TextInput
          aria-label="Filter by name"
          placeholder="Domain name"
          leftSection={<IconSearch size={16} stroke={1.5} />}
          w={240}
          className="grow-small mono-input"
          value={state.q}
          onChange={(event) => void setState({ q: event.currentTarget.value || null, cursor: null })}
        />
        <SegmentedControl
          label="State"
          value={state.show}
          options={{ all: 'All', on: 'Active', off: 'Off' }}
          onChange={(show) => void setState({ show, cursor: null })}
        />
      </div>
      {list.isError && <ErrorState what="domains" error={list.error} onRetry={() => void list.refetch()} />}
      {!list.isError && isEmpty && !isFiltered && mayChange !== undefined && (
        <NoDomains mayChange={mayChange} onAdd={() => void setState({ new: true })} />
      )}
      {!list.isError && isEmpty && isFiltered && (
        <EmptyState title="No domain fits">
          <p>None of your domains has this name and state.</p>
          <div className="row-actions">
            <Button onClick={() => void setState({ q: null, show: null, cursor: null })}>Clear the filters</Button>
          </div>
        </EmptyState>
      )}
      {!list.isError && !isEmpty && (
        <>
          <DataTable
            caption={`Domains, by ${state.sort === 'name' ? 'name' : 'date added'}`}
            columns={COLUMNS}
            rows={rows}
            rowKey={({ id }) => id}
            rowHref={({ id }) => `/domains/${id}`}
            isInactive={({ active }) => !active}
            isStale={list.isPlaceholderData}
            sort={{
              field: state.sort,
              order: state.order,
              onSort: (field, order) =>
                void setState({ sort: field === 'name' ? 'name' : 'created_at', order, cursor: null }),
            }}
          />
          <Pagination page={list.data} history={trail} />
        </>
      )}
      <AddDomainDialog opened={state.new && mayChange === true} onClose={() => void setState({ new: null })} />
    </Page>
  );
}

const COLUMNS: DataTableColumn<Domain>[] = [
  {
    key: 'state',
    header: 'State',
    width: 112,
    kind: 'mark',
    mobile: 'mark',
    cell: ({ active }) => <StatusMark status={active ? 'on' : 'off'} />,
  },
  {
    key: 'name',
    header: 'Name',
    mobile: 'lead',
    sortBy: 'name',
    skeletonWidth: 180,
    cell: ({ id, name }) => (
      <Link className="link mono line" href={`/domains/${id}`}>
        <span className="clip strong-mono">{name}</span>
      </Link>
    ),
  },
  {
    key: 'description',
    header: 'Description',
    isOptional: true,
    mobile: 'under',
    skeletonWidth: 160,
    className: 'soft',
    cell: ({ description }) => <span className="clip">{description}</span>,
  },
  {
    key: 'mailboxes',
    header: 'Mailboxes',
    width: 104,
    kind: 'figure',
    skeletonWidth: 24,
    cell: ({ id, mailbox_count, max_mailboxes }) => (
      <Link href={`/mailboxes?domain=${id}`}>
        {outOf(mailbox_count, max_mailboxes)}
        <span className="sr-only"> mailboxes</span>
      </Link>
    ),
  },
  {
    key: 'aliases',
    header: 'Aliases',
    width: 104,
    kind: 'figure',
    skeletonWidth: 24,
    cell: ({ id, alias_count, max_aliases }) => (
      <Link href={`/aliases?domain=${id}`}>
        {outOf(alias_count, max_aliases)}
        <span className="sr-only"> aliases</span>
      </Link>
    ),
  },
  {
    key: 'limit',
    header: 'Sends an hour',
    isOptional: true,
    width: 120,
    kind: 'figure',
    skeletonWidth: 40,
    className: 'soft',
    cell: ({ hourly_send_limit }) => (hourly_send_limit === null ? 'Default' : formatCount(hourly_send_limit)),
  },
  {
    key: 'added',
    header: 'Added',
    width: 112,
    kind: 'figure',
    sortBy: 'created_at',
    skeletonWidth: 64,
    className: 'soft',
    cell: ({ created_at }) => formatDate(created_at),
  },
];

function outOf(count: number, limit: number | null): string {
  return limit === null ? formatCount(count) : `${formatCount(count)} of ${formatCount(limit)}`;
}

type NoDomainsProps = { mayChange: boolean; onAdd: () => void };

function NoDomains({ mayChange, onAdd }: NoDomainsProps) {
  return (
    <EmptyState title="Domains will stand here">
      <p>A domain is what stands after the @. Postroom sends only from domains it knows.</p>
      {mayChange ? (
        <>
          <ol className="steps">
            <li>
              <span>
                <b>Add the domain.</b> Sending from it works at once.
              </span>
            </li>
            <li>
              <span>
                <b>Send a test</b> from any address of it.
              </span>
            </li>
          </ol>
          <div className="row-actions">
            <Button variant="outline" leftSection={<IconPlus stroke={1.75} />} onClick={onAdd}>
              Add a domain
            </Button>
          </div>
        </>
      ) : (
        <p>None is assigned to you yet. A super admin can assign one.</p>
      )}
    </EmptyState>
  );
}

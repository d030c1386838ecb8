'use client';

import { Button, Group, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import Link from 'next/link';
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { RowLink } from '@/components/data-table/cells';
import { useCursorHistory } from '@/components/data-table/cursor-history';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { Pagination } from '@/components/data-table/pagination';
import { EmptyState, ErrorState } from '@/components/data-table/states';
import { StatusMark } from '@/components/marks/status-mark';
import { PageHeader } from '@/components/page-header';
import { SegmentedControl } from '@/components/segmented-control';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import { Steps } from '@/components/text/steps';
import { formatCount, formatDate } from '@/lib/format';
import type { Domain } from '../schema';
import { AddDomainDialog } from './add-domain-dialog';
import classes from './domains-page.module.css';

const SHOWN = { all: undefined, active: true, inactive: false } as const;

const filters = {
  q: parseAsString.withDefault(''),
  show: parseAsStringLiteral(['all', 'active', 'inactive']).withDefault('all'),
  sort: parseAsStringLiteral(['created_at', 'name']).withDefault('name'),
  order: parseAsStringLiteral(['asc', 'desc']).withDefault('asc'),
  new: parseAsBoolean.withDefault(false),
  cursor: parseAsString,
};

export function DomainsPage() {
  const [state, setState] = useQueryStates(filters);
  const history = useCursorHistory();
  const canAdd = useHasRole('admin');
  const [q] = useDebouncedValue(state.q.trim(), 200);
  const list = trpc.domains.list.useQuery(
    { q: q || undefined, active: SHOWN[state.show], sort: state.sort, order: state.order, cursor: history.cursor },
    { placeholderData: keepPreviousData },
  );
  const rows = list.data?.items;
  const isFiltered = q !== '' || state.show !== 'all';
  const isEmpty = rows?.length === 0 && history.isFirst;

  return (
    <Page>
      <PageHeader title="Domains" description="Domains that send and receive mail">
        {canAdd && (
          <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={() => void setState({ new: true })}>
            Add domain
          </Button>
        )}
        {canAdd === false && <span className="quiet">Only admins can add domains</span>}
      </PageHeader>
      <Group py="md">
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
          label="Status"
          value={state.show}
          options={{ all: 'All', active: 'Active', inactive: 'Inactive' }}
          onChange={(show) => void setState({ show, cursor: null })}
        />
      </Group>
      {list.isError && <ErrorState what="domains" error={list.error} onRetry={() => void list.refetch()} />}
      {!list.isError && isEmpty && !isFiltered && canAdd !== undefined && (
        <NoDomains canAdd={canAdd} onAdd={() => void setState({ new: true })} />
      )}
      {!list.isError && isEmpty && isFiltered && (
        <EmptyState title="No matching domains">
          <p>No domain matches these filters.</p>
          <Group pt="md">
            <Button onClick={() => void setState({ q: null, show: null, cursor: null })}>Clear filters</Button>
          </Group>
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
          <Pagination page={list.data} history={history} />
        </>
      )}
      <AddDomainDialog opened={state.new && canAdd === true} onClose={() => void setState({ new: null })} />
    </Page>
  );
}

const COLUMNS: DataTableColumn<Domain>[] = [
  {
    key: 'state',
    header: 'Status',
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
      <RowLink href={`/domains/${id}`}>
        <span className={`mono clip ${classes.name}`}>{name}</span>
      </RowLink>
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
    header: 'Hourly limit',
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

type NoDomainsProps = { canAdd: boolean; onAdd: () => void };

function NoDomains({ canAdd, onAdd }: NoDomainsProps) {
  return (
    <EmptyState title="No domains yet">
      <p>A domain is the part after the @. Postroom sends mail only from domains that you add.</p>
      {canAdd ? (
        <>
          <Steps>
            <li>
              <span>
                <b>Add the domain.</b> You can send from it immediately.
              </span>
            </li>
            <li>
              <span>
                <b>Send a test</b> from any address on the domain.
              </span>
            </li>
          </Steps>
          <Group pt="md">
            <Button variant="outline" leftSection={<IconPlus stroke={1.75} />} onClick={onAdd}>
              Add domain
            </Button>
          </Group>
        </>
      ) : (
        <p>No domain is assigned to you. Ask a super admin to assign one.</p>
      )}
    </EmptyState>
  );
}

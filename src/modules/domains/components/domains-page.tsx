'use client';

import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import Link from 'next/link';
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { useCursorTrail } from '@/components/ledger/cursor-trail';
import { Folio } from '@/components/ledger/folio';
import { Ledger, type LedgerColumn } from '@/components/ledger/ledger';
import { EmptyNote, ErrorNote } from '@/components/ledger/notes';
import { StatusMark } from '@/components/marks/status-mark';
import { PageHead } from '@/components/page-head';
import { Segments } from '@/components/segments';
import { Page } from '@/components/shell/page';
import { useMay } from '@/components/shell/use-may';
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
  const trail = useCursorTrail();
  const mayChange = useMay('admin');
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
      <PageHead title="Domains" lede="Postroom sends from these domains and takes their mail">
        {mayChange && (
          <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={() => void setState({ new: true })}>
            Add a domain
          </Button>
        )}
        {mayChange === false && <span className="quiet">Adding one needs the role admin</span>}
      </PageHead>
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
        <Segments
          label="State"
          value={state.show}
          options={{ all: 'All', on: 'Active', off: 'Off' }}
          onChange={(show) => void setState({ show, cursor: null })}
        />
      </div>
      {list.isError && <ErrorNote what="domains" error={list.error} onRetry={() => void list.refetch()} />}
      {!list.isError && isEmpty && !isFiltered && mayChange !== undefined && (
        <NoDomains mayChange={mayChange} onAdd={() => void setState({ new: true })} />
      )}
      {!list.isError && isEmpty && isFiltered && (
        <EmptyNote title="No domain fits">
          <p>None of your domains has this name and state.</p>
          <div className="row-acts">
            <Button onClick={() => void setState({ q: null, show: null, cursor: null })}>Clear the filters</Button>
          </div>
        </EmptyNote>
      )}
      {!list.isError && !isEmpty && (
        <>
          <Ledger
            caption={`Domains, by ${state.sort === 'name' ? 'name' : 'date added'}`}
            columns={COLUMNS}
            rows={rows}
            rowKey={({ id }) => id}
            rowHref={({ id }) => `/domains/${id}`}
            isOff={({ active }) => !active}
            isStale={list.isPlaceholderData}
            sort={{
              field: state.sort,
              order: state.order,
              onSort: (field, order) =>
                void setState({ sort: field === 'name' ? 'name' : 'created_at', order, cursor: null }),
            }}
          />
          <Folio page={list.data} trail={trail} />
        </>
      )}
      <AddDomainDialog opened={state.new && mayChange === true} onClose={() => void setState({ new: null })} />
    </Page>
  );
}

const COLUMNS: LedgerColumn<Domain>[] = [
  {
    key: 'state',
    header: 'State',
    width: 112,
    kind: 'mark',
    fold: 'mark',
    cell: ({ active }) => <StatusMark status={active ? 'on' : 'off'} />,
  },
  {
    key: 'name',
    header: 'Name',
    fold: 'lead',
    sortBy: 'name',
    bone: 180,
    cell: ({ id, name }) => (
      <Link className="link mono line" href={`/domains/${id}`}>
        <span className="clip strong-mono">{name}</span>
      </Link>
    ),
  },
  {
    key: 'description',
    header: 'Description',
    isSpare: true,
    fold: 'under',
    bone: 160,
    className: 'soft',
    cell: ({ description }) => <span className="clip">{description}</span>,
  },
  {
    key: 'mailboxes',
    header: 'Mailboxes',
    width: 104,
    kind: 'figure',
    bone: 24,
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
    bone: 24,
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
    isSpare: true,
    width: 120,
    kind: 'figure',
    bone: 40,
    className: 'soft',
    cell: ({ hourly_send_limit }) => (hourly_send_limit === null ? 'Default' : formatCount(hourly_send_limit)),
  },
  {
    key: 'added',
    header: 'Added',
    width: 112,
    kind: 'figure',
    sortBy: 'created_at',
    bone: 64,
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
    <EmptyNote title="Domains will stand here">
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
          <div className="row-acts">
            <Button variant="outline" leftSection={<IconPlus stroke={1.75} />} onClick={onAdd}>
              Add a domain
            </Button>
          </div>
        </>
      ) : (
        <p>None is assigned to you yet. A super admin can assign one.</p>
      )}
    </EmptyNote>
  );
}

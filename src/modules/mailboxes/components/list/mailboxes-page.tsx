'use client';

import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { useReach } from '@/components/directory/use-reach';
import { useCursorTrail } from '@/components/ledger/cursor-trail';
import { Folio } from '@/components/ledger/folio';
import { Ledger } from '@/components/ledger/ledger';
import { EmptyNote, ErrorNote } from '@/components/ledger/notes';
import { PageHead } from '@/components/page-head';
import { Segments } from '@/components/segments';
import { Page } from '@/components/shell/page';
import { MAILBOX_COLUMNS } from './mailbox-columns';
import { NewMailboxDialog } from './new-mailbox-dialog';
import { NoMailboxes } from './no-mailboxes';

const SHOWN = {
  all: {},
  active: { active: true, suspended: false },
  off: { active: false },
  suspended: { suspended: true },
} as const;

const filters = {
  q: parseAsString.withDefault(''),
  show: parseAsStringLiteral(['all', 'active', 'off', 'suspended']).withDefault('all'),
  sort: parseAsStringLiteral(['local_part', 'created_at']).withDefault('local_part'),
  order: parseAsStringLiteral(['asc', 'desc']).withDefault('asc'),
  new: parseAsBoolean.withDefault(false),
  cursor: parseAsString,
};

export function MailboxesPage() {
  const [state, setState] = useQueryStates(filters);
  const trail = useCursorTrail();
  const reach = useReach();
  const [q] = useDebouncedValue(state.q.trim(), 200);
  const list = trpc.mailboxes.list.useQuery(
    {
      q: q || undefined,
      domain_id: reach.chosen ?? undefined,
      ...SHOWN[state.show],
      sort: state.sort,
      order: state.order,
      cursor: trail.cursor,
    },
    { placeholderData: keepPreviousData },
  );
  const rows = list.data?.items;
  const isFiltered = q !== '' || state.show !== 'all';
  const isEmpty = rows?.length === 0 && trail.isFirst;
  const domainName = reach.chosen ? reach.nameOf(reach.chosen) : undefined;
  const openNew = () => void setState({ new: true });

  return (
    <Page>
      <PageHead title="Mailboxes" lede={domainName ? `Of ${domainName}` : 'Whoever signs in here for their mail'}>
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={openNew}>
          New mailbox
        </Button>
      </PageHead>
      <div className="tools">
        <TextInput
          aria-label="Filter by address or name"
          placeholder="Address or name"
          leftSection={<IconSearch size={16} stroke={1.5} />}
          w={240}
          className="grow-small"
          value={state.q}
          onChange={(event) => void setState({ q: event.currentTarget.value || null, cursor: null })}
        />
        <Segments
          label="State"
          value={state.show}
          options={{ all: 'All', active: 'Active', off: 'Off', suspended: 'Suspended' }}
          onChange={(show) => void setState({ show, cursor: null })}
        />
      </div>
      {list.isError && <ErrorNote what="mailboxes" error={list.error} onRetry={() => void list.refetch()} />}
      {!list.isError && isEmpty && !isFiltered && (
        <NoMailboxes domainName={domainName} hasNoDomain={reach.hasNone} onNew={openNew} />
      )}
      {!list.isError && isEmpty && isFiltered && (
        <EmptyNote title="No mailbox fits">
          <p>None of your mailboxes has this address or name and this state.</p>
          <div className="row-acts">
            <Button onClick={() => void setState({ q: null, show: null, cursor: null })}>Clear the filters</Button>
          </div>
        </EmptyNote>
      )}
      {!list.isError && !isEmpty && (
        <>
          <Ledger
            caption={`Mailboxes, by ${state.sort === 'local_part' ? 'address' : 'date added'}`}
            columns={MAILBOX_COLUMNS}
            rows={rows}
            rowKey={({ id }) => id}
            rowHref={({ id }) => `/mailboxes/${id}`}
            isOff={({ active }) => !active}
            isStale={list.isPlaceholderData}
            sort={{
              field: state.sort,
              order: state.order,
              onSort: (field, order) =>
                void setState({ sort: field === 'created_at' ? 'created_at' : 'local_part', order, cursor: null }),
            }}
          />
          <Folio page={list.data} trail={trail} />
        </>
      )}
      <NewMailboxDialog
        opened={state.new}
        domains={reach.domains}
        preset={reach.preset}
        onClose={() => void setState({ new: null })}
      />
    </Page>
  );
}

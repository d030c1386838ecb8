'use client';

import { Button, Group, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { useCursorHistory } from '@/components/data-table/cursor-history';
import { DataTable } from '@/components/data-table/data-table';
import { Pagination } from '@/components/data-table/pagination';
import { EmptyState, ErrorState } from '@/components/data-table/states';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { PageHeader } from '@/components/page-header';
import { SegmentedControl } from '@/components/segmented-control';
import { Page } from '@/components/shell/page';
import { MAILBOX_COLUMNS } from './mailbox-columns';
import { NewMailboxDialog } from './new-mailbox-dialog';
import { NoMailboxes } from './no-mailboxes';

const SHOWN = {
  all: {},
  active: { active: true, suspended: false },
  inactive: { active: false },
  suspended: { suspended: true },
} as const;

const filters = {
  q: parseAsString.withDefault(''),
  show: parseAsStringLiteral(['all', 'active', 'inactive', 'suspended']).withDefault('all'),
  sort: parseAsStringLiteral(['local_part', 'created_at']).withDefault('local_part'),
  order: parseAsStringLiteral(['asc', 'desc']).withDefault('asc'),
  new: parseAsBoolean.withDefault(false),
  cursor: parseAsString,
};

export function MailboxesPage() {
  const [state, setState] = useQueryStates(filters);
  const history = useCursorHistory();
  const domainScope = useDomainScope();
  const [q] = useDebouncedValue(state.q.trim(), 200);
  const list = trpc.mailboxes.list.useQuery(
    {
      q: q || undefined,
      domain_id: domainScope.selectedId ?? undefined,
      ...SHOWN[state.show],
      sort: state.sort,
      order: state.order,
      cursor: history.cursor,
    },
    { placeholderData: keepPreviousData },
  );
  const rows = list.data?.items;
  const isFiltered = q !== '' || state.show !== 'all';
  const isEmpty = rows?.length === 0 && history.isFirst;
  const domainName = domainScope.selectedId ? domainScope.nameOf(domainScope.selectedId) : undefined;
  const openNew = () => void setState({ new: true });

  return (
    <Page>
      <PageHeader
        title="Mailboxes"
        description={domainName ? `In ${domainName}` : 'Accounts that receive and send mail'}
      >
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={openNew}>
          New mailbox
        </Button>
      </PageHeader>
      <Group py="md">
        <TextInput
          aria-label="Filter by address or name"
          placeholder="Address or name"
          leftSection={<IconSearch size={16} stroke={1.5} />}
          w={240}
          className="grow-small"
          value={state.q}
          onChange={(event) => void setState({ q: event.currentTarget.value || null, cursor: null })}
        />
        <SegmentedControl
          label="Status"
          value={state.show}
          options={{ all: 'All', active: 'Active', inactive: 'Inactive', suspended: 'Suspended' }}
          onChange={(show) => void setState({ show, cursor: null })}
        />
      </Group>
      {list.isError && <ErrorState what="mailboxes" error={list.error} onRetry={() => void list.refetch()} />}
      {!list.isError && isEmpty && !isFiltered && (
        <NoMailboxes domainName={domainName} hasNoDomains={domainScope.hasNoDomains} onNew={openNew} />
      )}
      {!list.isError && isEmpty && isFiltered && (
        <EmptyState title="No matching mailboxes">
          <p>No mailbox matches these filters.</p>
          <Group pt="md">
            <Button onClick={() => void setState({ q: null, show: null, cursor: null })}>Clear filters</Button>
          </Group>
        </EmptyState>
      )}
      {!list.isError && !isEmpty && (
        <>
          <DataTable
            caption={`Mailboxes, by ${state.sort === 'local_part' ? 'address' : 'date added'}`}
            columns={MAILBOX_COLUMNS}
            rows={rows}
            rowKey={({ id }) => id}
            rowHref={({ id }) => `/mailboxes/${id}`}
            isInactive={({ active }) => !active}
            isStale={list.isPlaceholderData}
            sort={{
              field: state.sort,
              order: state.order,
              onSort: (field, order) =>
                void setState({ sort: field === 'created_at' ? 'created_at' : 'local_part', order, cursor: null }),
            }}
          />
          <Pagination page={list.data} history={history} />
        </>
      )}
      <NewMailboxDialog
        opened={state.new}
        domains={domainScope.domains}
        defaultDomainId={domainScope.defaultId}
        onClose={() => void setState({ new: null })}
      />
    </Page>
  );
}

'use client';

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { parseAsBoolean, parseAsStringLiteral } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { ListTools, ListView } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { PageHeader } from '@/components/page-header';
import { SegmentedControl } from '@/components/segmented-control';
import { Page } from '@/components/shell/page';
import { MAILBOX_COLUMNS } from './mailbox-columns';
import { NoMailboxes } from './no-mailboxes';

const NewMailboxDialog = lazyDialog(() => import('./new-mailbox-dialog').then((module) => module.NewMailboxDialog));

const SHOWN = {
  all: {},
  active: { active: true, suspended: false },
  inactive: { active: false },
  suspended: { suspended: true },
} as const;

const SEARCH = {
  filters: {
    q: parseAsText,
    show: parseAsStringLiteral(['all', 'active', 'inactive', 'suspended']).withDefault('all'),
  },
  view: { ...sortBy(['local_part', 'created_at']), new: parseAsBoolean.withDefault(false) },
};

export function MailboxesPage() {
  const search = useListSearch(SEARCH);
  const { values, settled, change, open } = search;
  const domainScope = useDomainScope();
  const list = trpc.mailboxes.list.useQuery(
    {
      q: settled.q || undefined,
      domain_id: domainScope.selectedId ?? undefined,
      ...SHOWN[values.show],
      sort: values.sort,
      order: values.order,
      cursor: search.history.cursor,
    },
    { placeholderData: keepPreviousData },
  );
  const domainName = domainScope.selectedId ? domainScope.nameOf(domainScope.selectedId) : undefined;
  const openNew = () => open({ new: true });

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
      <ListTools query={list}>
        <SearchInput
          label="Filter by address or name"
          placeholder="Address or name"
          w={240}
          value={values.q}
          onChange={(q) => change({ q })}
        />
        <SegmentedControl
          label="Status"
          value={values.show}
          options={{ all: 'All', active: 'Active', inactive: 'Inactive', suspended: 'Suspended' }}
          onChange={(show) => change({ show })}
        />
      </ListTools>
      <ListView
        query={list}
        search={search}
        what="mailboxes"
        empty={<NoMailboxes domainName={domainName} hasNoDomains={domainScope.hasNoDomains} onNew={openNew} />}
        noMatches="No mailbox matches these filters."
        caption={`Mailboxes, by ${values.sort === 'local_part' ? 'address' : 'date added'}`}
        columns={MAILBOX_COLUMNS}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/mailboxes/${id}`}
        isInactive={({ active }) => !active}
      />
      <NewMailboxDialog
        opened={values.new}
        domains={domainScope.domains}
        defaultDomainId={domainScope.defaultId}
        onClose={() => open({ new: null })}
      />
    </Page>
  );
}

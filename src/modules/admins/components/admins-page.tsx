'use client';

import { Button } from '@mantine/core';
import { parseAsBoolean } from 'nuqs';
import { useMemo } from 'react';
import { trpc } from '@/components/api/trpc';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { IconPlus } from '@/components/icons/icons';
import { ListTools, ListView } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { useList } from '@/components/list/use-list';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { adminList } from '../lists';
import { adminColumns } from './admin-columns';

const AddAdminDialog = lazyDialog(() => import('./add-admin-dialog').then((module) => module.AddAdminDialog));

const SEARCH = {
  filters: { q: parseAsText },
  view: { ...sortBy(adminList, { sort: 'email', order: 'asc' }), new: parseAsBoolean.withDefault(false) },
};

export function AdminsPage() {
  const search = useListSearch(SEARCH);
  const { values, settled, open } = search;
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const list = useList(adminList, trpc.admins.list, { search, input: { q: settled.q || undefined } });
  const columns = useMemo(() => adminColumns(me.data?.id), [me.data?.id]);

  return (
    <Page>
      <PageHeader title="Admins" description="People who can sign in, with their roles and domains">
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={() => open({ new: true })}>
          Add admin
        </Button>
      </PageHeader>
      <ListTools list={list}>
        <SearchInput search={search} label="Filter by email" placeholder="Email" />
      </ListTools>
      <ListView list={list} caption="Admins" columns={columns} rowHref={({ id }) => `/admins/${id}`} skeletonRows={4} />
      <AddAdminDialog opened={values.new} onClose={() => open({ new: null })} />
    </Page>
  );
}

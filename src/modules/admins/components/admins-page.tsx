'use client';

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { parseAsBoolean } from 'nuqs';
import { useMemo } from 'react';
import { trpc } from '@/components/api/trpc';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { ExportButton } from '@/components/list/export-csv';
import { ListView } from '@/components/list/list-view';
import { totalOf, totalOptions } from '@/components/list/total';
import { sortBy, useListSearch } from '@/components/list/use-list-search';
import { Views } from '@/components/list/views/views';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { adminColumns } from './admin-columns';

const AddAdminDialog = lazyDialog(() => import('./add-admin-dialog').then((module) => module.AddAdminDialog));

const SEARCH = {
  filters: {},
  view: { ...sortBy(['email', 'created_at']), new: parseAsBoolean.withDefault(false) },
};

export function AdminsPage() {
  const search = useListSearch(SEARCH);
  const { values, open } = search;
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const input = { sort: values.sort, order: values.order, cursor: search.history.cursor };
  const list = trpc.admins.list.useQuery(input, { placeholderData: keepPreviousData });
  const total = trpc.admins.list.useQuery(totalOf(input), totalOptions(list, search));
  const columns = useMemo(() => adminColumns(me.data?.id), [me.data?.id]);

  return (
    <Page>
      <PageHeader title="Admins" description="People who can sign in, with their roles and domains">
        <Views page="admins" />
        <ExportButton path="/admins/export" input={input} what="admins" />
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={() => open({ new: true })}>
          Add admin
        </Button>
      </PageHeader>
      <ListView
        query={list}
        search={search}
        total={total}
        what="admins"
        caption="Admins"
        columns={columns}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/admins/${id}`}
        skeletonRows={4}
      />
      <AddAdminDialog opened={values.new} onClose={() => open({ new: null })} />
    </Page>
  );
}

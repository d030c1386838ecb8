'use client';

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useMemo } from 'react';
import { trpc } from '@/components/api/trpc';
import { useCursorHistory } from '@/components/data-table/cursor-history';
import { DataTable } from '@/components/data-table/data-table';
import { Pagination } from '@/components/data-table/pagination';
import { ErrorState } from '@/components/data-table/states';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { AddAdminDialog } from './add-admin-dialog';
import { adminColumns } from './admin-columns';

const filters = {
  sort: parseAsStringLiteral(['created_at', 'email']).withDefault('email'),
  order: parseAsStringLiteral(['asc', 'desc']).withDefault('asc'),
  new: parseAsBoolean.withDefault(false),
  cursor: parseAsString,
};

export function AdminsPage() {
  const [state, setState] = useQueryStates(filters);
  const history = useCursorHistory();
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const list = trpc.admins.list.useQuery(
    { sort: state.sort, order: state.order, cursor: history.cursor },
    { placeholderData: keepPreviousData },
  );
  const columns = useMemo(() => adminColumns(me.data?.id), [me.data?.id]);

  return (
    <Page>
      <PageHeader title="Admins" description="People who can sign in, with their roles and domains">
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={() => void setState({ new: true })}>
          Add admin
        </Button>
      </PageHeader>
      {list.isError ? (
        <ErrorState what="admins" error={list.error} onRetry={() => void list.refetch()} />
      ) : (
        <>
          <DataTable
            caption="Admins"
            columns={columns}
            rows={list.data?.items}
            rowKey={({ id }) => id}
            rowHref={({ id }) => `/admins/${id}`}
            isStale={list.isPlaceholderData}
            skeletonRows={4}
            sort={{
              field: state.sort,
              order: state.order,
              onSort: (field, order) =>
                void setState({ sort: field === 'email' ? 'email' : 'created_at', order, cursor: null }),
            }}
          />
          <Pagination page={list.data} history={history} />
        </>
      )}
      <AddAdminDialog opened={state.new} onClose={() => void setState({ new: null })} />
    </Page>
  );
}

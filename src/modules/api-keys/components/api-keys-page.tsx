'use client';

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { parseAsBoolean, parseAsString, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { useMemo, useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { useCursorHistory } from '@/components/data-table/cursor-history';
import { DataTable } from '@/components/data-table/data-table';
import { Pagination } from '@/components/data-table/pagination';
import { ErrorState } from '@/components/data-table/states';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import type { ApiKey, CreatedApiKey } from '../schema';
import { apiKeyColumns } from './api-key-columns';
import { CreateKeyDialog } from './create-key-dialog';
import { KeySecretDialog } from './key-secret-dialog';
import { NoKeys } from './no-keys';
import { RevokeKeyDialog } from './revoke-key-dialog';

const filters = {
  sort: parseAsStringLiteral(['created_at', 'name']).withDefault('created_at'),
  order: parseAsStringLiteral(['asc', 'desc']).withDefault('desc'),
  new: parseAsBoolean.withDefault(false),
  cursor: parseAsString,
};

export function ApiKeysPage() {
  const [state, setState] = useQueryStates(filters);
  const history = useCursorHistory();
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const domains = trpc.domains.list.useQuery({ limit: 200, sort: 'name', order: 'asc' }, { staleTime: 60_000 });
  const list = trpc.apiKeys.list.useQuery(
    { sort: state.sort, order: state.order, cursor: history.cursor },
    { placeholderData: keepPreviousData },
  );
  const domainNames = useMemo(() => new Map(domains.data?.items.map(({ id, name }) => [id, name])), [domains.data]);
  const columns = useMemo(() => apiKeyColumns(domainNames, me.data?.id, setRevoking), [domainNames, me.data?.id]);
  const rows = list.data?.items;
  const isEmpty = rows?.length === 0 && history.isFirst;
  const openNew = () => void setState({ new: true });

  return (
    <Page>
      <PageHeader
        title="API keys"
        description={
          me.data?.role === 'super_admin' ? 'The keys of all admins' : 'Your keys. None has more access than you'
        }
      >
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={openNew}>
          New key
        </Button>
      </PageHeader>
      {list.isError && <ErrorState what="API keys" error={list.error} onRetry={() => void list.refetch()} />}
      {!list.isError && isEmpty && <NoKeys onNew={openNew} />}
      {!list.isError && !isEmpty && (
        <>
          <DataTable
            caption="API keys"
            columns={columns}
            rows={rows}
            rowKey={({ id }) => id}
            isStale={list.isPlaceholderData}
            skeletonRows={6}
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
      <CreateKeyDialog
        opened={state.new && created === null}
        domains={domains.data?.items ?? []}
        onClose={() => void setState({ new: null })}
        onCreated={(key) => {
          setCreated(key);
          void setState({ new: null });
        }}
      />
      {created && <KeySecretDialog created={created} domainNames={domainNames} onStored={() => setCreated(null)} />}
      <RevokeKeyDialog apiKey={revoking} onClose={() => setRevoking(null)} />
    </Page>
  );
}

'use client';

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { parseAsBoolean } from 'nuqs';
import { useMemo, useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { ListView } from '@/components/list/list-view';
import { sortBy, useListSearch } from '@/components/list/use-list-search';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import type { ApiKey, CreatedApiKey } from '../schema';
import { apiKeyColumns } from './api-key-columns';
import { KeySecretDialog } from './key-secret-dialog';
import { NoKeys } from './no-keys';
import { RevokeKeyDialog } from './revoke-key-dialog';

const CreateKeyDialog = lazyDialog(() => import('./create-key-dialog').then((module) => module.CreateKeyDialog));

const SEARCH = {
  filters: {},
  view: { ...sortBy(['created_at', 'name'], 'desc'), new: parseAsBoolean.withDefault(false) },
};

export function ApiKeysPage() {
  const search = useListSearch(SEARCH);
  const { values, open } = search;
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const [revoking, setRevoking] = useState<ApiKey | null>(null);
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const domains = trpc.domains.list.useQuery({ limit: 200, sort: 'name', order: 'asc' }, { staleTime: 60_000 });
  const list = trpc.apiKeys.list.useQuery(
    { sort: values.sort, order: values.order, cursor: search.history.cursor },
    { placeholderData: keepPreviousData },
  );
  const domainNames = useMemo(() => new Map(domains.data?.items.map(({ id, name }) => [id, name])), [domains.data]);
  const columns = useMemo(() => apiKeyColumns(domainNames, me.data?.id, setRevoking), [domainNames, me.data?.id]);
  const openNew = () => open({ new: true });

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
      <ListView
        query={list}
        search={search}
        what="API keys"
        empty={<NoKeys onNew={openNew} />}
        caption="API keys"
        columns={columns}
        rowKey={({ id }) => id}
        skeletonRows={6}
      />
      <CreateKeyDialog
        opened={values.new && created === null}
        domains={domains.data?.items ?? []}
        onClose={() => open({ new: null })}
        onCreated={(key) => {
          setCreated(key);
          open({ new: null });
        }}
      />
      {created && <KeySecretDialog created={created} domainNames={domainNames} onStored={() => setCreated(null)} />}
      <RevokeKeyDialog apiKey={revoking} onClose={() => setRevoking(null)} />
    </Page>
  );
}

'use client';

import { Button } from '@mantine/core';
import { parseAsBoolean, parseAsString } from 'nuqs';
import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { toProblem } from '@/components/api/problem';
import { trpc } from '@/components/api/trpc';
import { ConfirmDialog } from '@/components/dialogs/confirm-dialog';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { IconPlus } from '@/components/icons/icons';
import { ListTools, ListView } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { parseAsShow, ShowFilter } from '@/components/list/show-filter';
import { useList } from '@/components/list/use-list';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { notify } from '@/components/notifications';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { TimeAgo } from '@/components/values/time-ago';
import { apiKeyList } from '../lists';
import type { ApiKey, CreatedApiKey } from '../schema';
import { apiKeyColumns, isExpired } from './api-key-columns';
import { KeySecretDialog } from './key-secret-dialog';
import { NoKeys } from './no-keys';

const CreateKeyDialog = lazyDialog(() => import('./create-key-dialog').then((module) => module.CreateKeyDialog));

const CHOICES = {
  all: { label: 'All', input: {} },
  active: { label: 'Active', input: { expired: false } },
  expired: { label: 'Expired', input: { expired: true } },
};

const SEARCH = {
  filters: { q: parseAsText, show: parseAsShow(CHOICES) },
  view: {
    ...sortBy(apiKeyList),
    new: parseAsBoolean.withDefault(false),
    history: parseAsString,
    revoke: parseAsString,
  },
};

type ApiKeysPageProps = {
  /** The dialog of another module that shows who changed the key of the URL's `history`. */
  history: ReactNode;
};

export function ApiKeysPage({ history }: ApiKeysPageProps) {
  const search = useListSearch(SEARCH);
  const { values, settled, open } = search;
  const [created, setCreated] = useState<CreatedApiKey | null>(null);
  const [replacing, setReplacing] = useState<{ key: ApiKey | null; opened: boolean }>({ key: null, opened: false });
  const me = trpc.auth.me.useQuery({}, { staleTime: 60_000 });
  const input = { q: settled.q || undefined, ...CHOICES[values.show].input };
  const list = useList(apiKeyList, trpc.apiKeys.list, { search, input });
  const hasOwners = me.data?.role === 'super_admin';
  const columns = apiKeyColumns({
    hasOwners,
    adminId: me.data?.id,
    onReplace: (key) => setReplacing({ key, opened: true }),
    onHistory: ({ id }) => open({ history: id }),
    onRevoke: ({ id }) => open({ revoke: id }),
  });
  const rows = useMemo(() => list.query.data && expiredLast(list.query.data.items), [list.query.data]);
  const revoking = rows?.find(({ id }) => id === values.revoke) ?? null;
  const openNew = () => open({ new: true });
  const close = () => {
    setReplacing({ ...replacing, opened: false });
    if (values.new) open({ new: null });
  };

  return (
    <Page>
      <PageHeader
        title="API keys"
        description={hasOwners ? 'API keys of all admins' : 'Your keys. None has more access than you'}
      >
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={openNew}>
          New key
        </Button>
      </PageHeader>
      <ListTools list={list}>
        <SearchInput search={search} label="Filter by name, admin or prefix" placeholder="Name, admin or prefix" />
        <ShowFilter search={search} choices={CHOICES} />
      </ListTools>
      <ListView
        list={list}
        rows={rows}
        empty={<NoKeys onNew={openNew} />}
        caption="API keys"
        columns={columns}
        isInactive={({ expires_at: at }) => isExpired(at)}
        skeletonRows={6}
      />
      <CreateKeyDialog
        opened={(values.new || replacing.opened) && created === null}
        replaced={values.new ? null : replacing.key}
        onClose={close}
        onCreated={(key) => {
          setCreated(key);
          close();
        }}
      />
      {created && <KeySecretDialog created={created} onStored={() => setCreated(null)} />}
      {history}
      <RevokeKeyDialog apiKey={revoking} onClose={() => open({ revoke: null })} />
    </Page>
  );
}

/** Moves the expired keys of a page to its end. */
function expiredLast(keys: ApiKey[]): ApiKey[] {
  return [...keys.filter((key) => !isExpired(key.expires_at)), ...keys.filter((key) => isExpired(key.expires_at))];
}

type RevokeKeyDialogProps = { apiKey: ApiKey | null; onClose: () => void };

function RevokeKeyDialog({ apiKey, onClose }: RevokeKeyDialogProps) {
  const utils = trpc.useUtils();
  const [shown, setShown] = useState(apiKey);
  const revoke = trpc.apiKeys.delete.useMutation({
    onSuccess: async () => {
      notify({ text: `Revoked ${shown?.name}`, takesFocus: true });
      onClose();
      await utils.apiKeys.list.invalidate();
    },
  });

  useEffect(() => {
    if (apiKey) setShown(apiKey);
  }, [apiKey]);

  return (
    <ConfirmDialog
      opened={apiKey !== null}
      title={`Revoke ${shown?.name ?? 'the key'}`}
      action="Revoke key"
      problem={revoke.error ? toProblem(revoke.error) : null}
      isBusy={revoke.isPending}
      isInUrl
      onClose={() => {
        revoke.reset();
        onClose();
      }}
      onConfirm={() => apiKey && revoke.mutate({ id: apiKey.id })}
    >
      <p className="soft">
        Applications that use <code>{shown?.key_prefix}…</code> lose access immediately, and keys created with it are
        revoked too. This can’t be undone.
      </p>
      {shown && (
        <p className="soft">
          {shown.last_used_at ? (
            <>
              Last used <TimeAgo iso={shown.last_used_at} />.
            </>
          ) : (
            'This key was never used.'
          )}
        </p>
      )}
    </ConfirmDialog>
  );
}

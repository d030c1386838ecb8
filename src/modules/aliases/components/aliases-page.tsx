'use client';

import { Button } from '@mantine/core';
import dynamic from 'next/dynamic';
import { type ReactNode, useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { IconPlus, IconRoute } from '@/components/icons/icons';
import { ACTIVE_CHOICES } from '@/components/list/show-filter';
import { useFocusReturn } from '@/components/list/use-focus-return';
import { useList } from '@/components/list/use-list';
import { loadPart } from '@/components/load-part';
import { notify } from '@/components/notifications';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { withDomain } from '@/components/shell/with-domain';
import { formatPlural } from '@/lib/format';
import { aliasList } from '../lists';
import type { Alias } from '../schema';
import { DeleteAliasesDialog } from './edit/delete-aliases-dialog';
import { AliasTable } from './list/alias-table';
import { AliasTools } from './list/alias-tools';
import { ChooseDomain, NoAliases } from './list/no-aliases';
import { useAliasActions } from './list/use-alias-actions';
import { useAliasSearch } from './list/use-alias-search';
import { TraceDialog } from './trace/trace-dialog';

const EditAliasDialog = dynamic(
  () => loadPart(import('./edit/edit-alias-dialog').then((module) => module.EditAliasDialog)),
  {
    ssr: false,
  },
);
const ImportDialog = lazyDialog(() => import('./import/import-dialog').then((module) => module.ImportDialog));

const NewAliasDialog = lazyDialog(() => import('./edit/new-alias-dialog').then((module) => module.NewAliasDialog));

type AliasesPageProps = {
  /** The dialog of another module that shows who changed the alias of the URL's `history`. */
  history: ReactNode;
};

export function AliasesPage({ history }: AliasesPageProps) {
  const search = useAliasSearch();
  const { values, settled, change, open } = search;
  const domainScope = useDomainScope();
  const actions = useAliasActions();
  const [deleting, setDeleting] = useState<Alias[]>([]);
  const input = {
    q: settled.q || undefined,
    ...ACTIVE_CHOICES[values.show].input,
    domain_id: domainScope.listDomainId,
  };
  const list = useList(aliasList, trpc.aliases.list, { search, input, enabled: domainScope.isReady });
  const { defaultDomain: domain, selectedDomain } = domainScope;
  useFocusReturn(values.edit ?? values.history);

  const openNew = () => open({ new: true });
  const refreshAndNotify = (text: string) => {
    void actions.refresh();
    notify({ text });
  };

  return (
    <Page>
      <PageHeader
        title="Aliases"
        description={selectedDomain ? `In ${selectedDomain.name}` : 'Addresses that forward to one or more recipients'}
      >
        <Button leftSection={<IconRoute stroke={1.5} />} onClick={() => open({ trace: '' })}>
          Trace an address
        </Button>
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={openNew}>
          New alias
        </Button>
      </PageHeader>
      <AliasTools list={list} search={search} domain={domain} />
      {domainScope.needsSelection ? (
        <ChooseDomain hasNoDomains={domainScope.hasNoDomains} onChoose={(id) => change({ domain: id })} />
      ) : (
        <AliasTable
          list={list}
          search={search}
          actions={actions}
          empty={
            <NoAliases domainName={selectedDomain?.name} onNew={openNew} onImport={() => open({ import: true })} />
          }
          onDelete={setDeleting}
        />
      )}
      <NewAliasDialog
        opened={values.new}
        defaultDomain={domain}
        onClose={() => open({ new: null })}
        onShow={(q, domain) => change({ q, show: null, new: null, domain })}
        onCreated={({ id, address, active }) => {
          void actions.refresh();
          const link = { label: 'Show alias', href: withDomain(`/aliases?edit=${id}`) };
          notify({ text: `Created ${address}${active ? '' : ' (inactive)'}`, link });
        }}
      />
      {values.edit && (
        <EditAliasDialog
          key={values.edit}
          id={values.edit}
          row={list.query.data?.items.find(({ id }) => id === values.edit)}
          onClose={() => open({ edit: null })}
          onSaved={({ address }, isEdited) => {
            if (!isEdited) open({ edit: null });
            refreshAndNotify(`Updated ${address}`);
          }}
        />
      )}
      <TraceDialog
        address={values.trace}
        onTrace={(trace) => open({ trace })}
        onOpen={(edit) => open({ trace: null, edit })}
        onClose={() => open({ trace: null })}
      />
      <ImportDialog
        opened={values.import}
        defaultDomain={domain}
        onClose={() => open({ import: null })}
        onImported={({ created, failed }) =>
          refreshAndNotify(
            `Imported ${formatPlural(created, 'alias', 'aliases')}${failed > 0 ? `; ${formatPlural(failed, 'line')} failed` : ''}`,
          )
        }
      />
      {history}
      <DeleteAliasesDialog
        aliases={deleting}
        isBusy={actions.isDeleting}
        onClose={() => setDeleting([])}
        onConfirm={() => actions.deleteAll(deleting, () => setDeleting([]))}
      />
    </Page>
  );
}

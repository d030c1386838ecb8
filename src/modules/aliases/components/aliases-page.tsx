'use client';

import { Button } from '@mantine/core';
import { IconPlus, IconRoute } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { useCursorHistory } from '@/components/data-table/cursor-history';
import { ErrorState } from '@/components/data-table/states';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { Notification } from '@/components/notification';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { formatPlural } from '@/lib/format';
import type { Alias } from '../schema';
import { DeleteAliasesDialog } from './edit/delete-aliases-dialog';
import { EditAliasDialog } from './edit/edit-alias-dialog';
import { NewAliasDialog } from './edit/new-alias-dialog';
import { ImportDialog } from './import/import-dialog';
import { AliasTable } from './list/alias-table';
import { AliasTools } from './list/alias-tools';
import { ChooseDomain, NoAliases, NoMatchingAliases } from './list/no-aliases';
import { useAliasActions } from './list/use-alias-actions';
import { useAliasFilters } from './list/use-alias-filters';
import { TraceDialog } from './trace/trace-dialog';

export function AliasesPage() {
  const { filters, change, open, clear, isFiltered, input } = useAliasFilters();
  const history = useCursorHistory();
  const domainScope = useDomainScope();
  const actions = useAliasActions();
  const [deleting, setDeleting] = useState<Alias[]>([]);
  const list = trpc.aliases.list.useQuery(
    { ...input, domain_id: domainScope.listDomainId, cursor: history.cursor },
    { placeholderData: keepPreviousData, enabled: domainScope.isReady },
  );
  const rows = list.data?.items;
  const isEmpty = rows?.length === 0 && history.isFirst;
  const domain = domainScope.domains.find(({ id }) => id === domainScope.defaultId);
  useFocusRestore(filters.edit);

  const openNew = () => open({ new: true });
  const refreshAndNotify = (text: string) => {
    void actions.refresh();
    actions.notify(text);
  };

  return (
    <Page>
      <PageHeader
        title="Aliases"
        description={
          domainScope.selectedId && domain ? `In ${domain.name}` : 'Forward addresses to one or more recipients'
        }
      >
        <Button leftSection={<IconRoute stroke={1.5} />} onClick={() => open({ trace: '' })}>
          Trace an address
        </Button>
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={openNew}>
          New alias
        </Button>
      </PageHeader>
      <AliasTools filters={filters} change={change} open={open} domain={domain} />
      {domainScope.needsSelection && <ChooseDomain domains={domainScope.domains} />}
      {list.isError && <ErrorState what="aliases" error={list.error} onRetry={() => void list.refetch()} />}
      {!list.isError && isEmpty && isFiltered && <NoMatchingAliases onClear={clear} />}
      {!list.isError && isEmpty && !isFiltered && (
        <NoAliases
          domainName={domainScope.selectedId ? domain?.name : undefined}
          onNew={openNew}
          onImport={() => open({ import: true })}
        />
      )}
      {!list.isError && !isEmpty && !domainScope.needsSelection && (
        <AliasTable
          list={list}
          history={history}
          sort={{
            field: filters.sort,
            order: filters.order,
            onSort: (field, order) =>
              change({ sort: field === 'created_at' ? 'created_at' : 'source_local_part', order }),
          }}
          actions={actions}
          onEdit={({ id }) => open({ edit: id })}
          onTrace={({ address, source_local_part: source }) => open({ trace: source ? address : '' })}
          onDelete={setDeleting}
        />
      )}
      <Notification notice={actions.notice} onDismiss={actions.dismiss} />
      <NewAliasDialog
        opened={filters.new}
        domains={domainScope.domains}
        defaultDomainId={domainScope.defaultId}
        onClose={() => open({ new: null })}
        onShow={(q, domain) => change({ q, show: null, new: null, domain })}
        onCreated={({ address, active }) => refreshAndNotify(`Created ${address}${active ? '' : ' (inactive)'}`)}
      />
      {filters.edit && (
        <EditAliasDialog
          key={filters.edit}
          id={filters.edit}
          row={rows?.find(({ id }) => id === filters.edit)}
          onClose={() => open({ edit: null })}
          onSaved={({ address }) => {
            open({ edit: null });
            refreshAndNotify(`Updated ${address}`);
          }}
        />
      )}
      <TraceDialog
        address={filters.trace}
        onTrace={(trace) => open({ trace })}
        onOpen={(edit) => open({ trace: null, edit })}
        onClose={() => open({ trace: null })}
      />
      <ImportDialog
        opened={filters.import}
        domains={domainScope.domains}
        defaultDomainId={domainScope.defaultId}
        onClose={() => open({ import: null })}
        onImported={({ created, failed }) =>
          refreshAndNotify(
            `Imported ${formatPlural(created, 'alias', 'aliases')}${failed > 0 ? `; ${formatPlural(failed, 'line')} failed` : ''}`,
          )
        }
      />
      <DeleteAliasesDialog
        aliases={deleting}
        isBusy={actions.isDeleting}
        onClose={() => setDeleting([])}
        onConfirm={() => actions.deleteAll(deleting, () => setDeleting([]))}
      />
    </Page>
  );
}

/** Returns focus to the alias's row when its dialog closes. */
function useFocusRestore(edit: string | null): void {
  const last = useRef(edit);
  useEffect(() => {
    if (last.current && !edit) document.querySelector<HTMLElement>(`[data-row="${last.current}"]`)?.focus();
    last.current = edit;
  }, [edit]);
}

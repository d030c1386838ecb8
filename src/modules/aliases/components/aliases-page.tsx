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
import { ChooseDomain, NoAliases, NoAliasFits } from './list/no-aliases';
import { useAliasActions } from './list/use-alias-actions';
import { useAliasFilters } from './list/use-alias-filters';
import { TraceDialog } from './trace/trace-dialog';

export function AliasesPage() {
  const { filters, change, open, clear, isFiltered, input } = useAliasFilters();
  const trail = useCursorHistory();
  const reach = useDomainScope();
  const actions = useAliasActions();
  const [deleting, setDeleting] = useState<Alias[]>([]);
  const list = trpc.aliases.list.useQuery(
    { ...input, domain_id: reach.asked, cursor: trail.cursor },
    { placeholderData: keepPreviousData, enabled: reach.isReady },
  );
  const rows = list.data?.items;
  const isEmpty = rows?.length === 0 && trail.isFirst;
  const domain = reach.domains.find(({ id }) => id === reach.preset);
  useFocusBack(filters.edit);

  const openNew = () => open({ new: true });
  const settle = (text: string) => {
    void actions.refresh();
    actions.say(text);
  };

  return (
    <Page>
      <PageHeader
        title="Aliases"
        description={reach.chosen && domain ? `Of ${domain.name}` : 'Addresses that lead to others'}
      >
        <Button leftSection={<IconRoute stroke={1.5} />} onClick={() => open({ trace: '' })}>
          Where does mail go?
        </Button>
        <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={openNew}>
          New alias
        </Button>
      </PageHeader>
      <AliasTools filters={filters} change={change} open={open} domain={domain} />
      {reach.isAsking && <ChooseDomain domains={reach.domains} />}
      {list.isError && <ErrorState what="aliases" error={list.error} onRetry={() => void list.refetch()} />}
      {!list.isError && isEmpty && isFiltered && <NoAliasFits onClear={clear} />}
      {!list.isError && isEmpty && !isFiltered && (
        <NoAliases
          domainName={reach.chosen ? domain?.name : undefined}
          onNew={openNew}
          onImport={() => open({ import: true })}
        />
      )}
      {!list.isError && !isEmpty && !reach.isAsking && (
        <AliasTable
          list={list}
          trail={trail}
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
        domains={reach.domains}
        preset={reach.preset}
        onClose={() => open({ new: null })}
        onShow={(q, domain) => change({ q, show: null, new: null, domain })}
        onCreated={({ address, active }) => settle(`${address} is created${active ? '' : ', and off'}`)}
      />
      {filters.edit && (
        <EditAliasDialog
          key={filters.edit}
          id={filters.edit}
          row={rows?.find(({ id }) => id === filters.edit)}
          onClose={() => open({ edit: null })}
          onSaved={({ address }) => {
            open({ edit: null });
            settle(`${address} is changed`);
          }}
        />
      )}
      <TraceDialog
        address={filters.trace}
        onAsk={(trace) => open({ trace })}
        onOpen={(edit) => open({ trace: null, edit })}
        onClose={() => open({ trace: null })}
      />
      <ImportDialog
        opened={filters.import}
        domains={reach.domains}
        preset={reach.preset}
        onClose={() => open({ import: null })}
        onImported={({ created, failed }) =>
          settle(
            `${formatPlural(created, 'alias is', 'aliases are')} added${failed > 0 ? `, ${failed} lines were refused` : ''}`,
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

/** Out of the dialog back to the row it came from. */
function useFocusBack(edit: string | null): void {
  const last = useRef(edit);
  useEffect(() => {
    if (last.current && !edit) document.querySelector<HTMLElement>(`[data-row="${last.current}"]`)?.focus();
    last.current = edit;
  }, [edit]);
}

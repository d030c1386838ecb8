'use client';

import { Button } from '@mantine/core';
import { trpc } from '@/components/api/trpc';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { IconPlus } from '@/components/icons/icons';
import { ImportExportMenu } from '@/components/list/import-export-menu';
import { ListTools } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { ShowFilter } from '@/components/list/show-filter';
import { useList } from '@/components/list/use-list';
import { Views } from '@/components/list/views/views';
import { PageHeader } from '@/components/page-header';
import { useAttention } from '@/components/shell/navigation/use-attention';
import { Page } from '@/components/shell/page';
import { mailboxList } from '../../lists';
import { MailboxTable } from './mailbox-table';
import { NoMailboxes } from './no-mailboxes';
import { CHOICES, useMailboxSearch } from './use-mailbox-search';

const SORT_LABELS = { local_part: 'address', created_at: 'date added', percent_full: 'storage used' } as const;

const NewMailboxDialog = lazyDialog(() => import('./new-mailbox-dialog').then((module) => module.NewMailboxDialog));

const ImportDialog = lazyDialog(() => import('../import/import-dialog').then((module) => module.ImportDialog));

export function MailboxesPage() {
  const search = useMailboxSearch();
  const { values, settled, open } = search;
  const domainScope = useDomainScope();
  const input = {
    q: settled.q || undefined,
    domain_id: domainScope.selectedId ?? undefined,
    ...CHOICES[values.show].input,
  };
  const list = useList(mailboxList, trpc.mailboxes.list, { search, input });
  const domainName = domainScope.selectedDomain?.name;
  const counts = countsOf(useAttention().data);
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
      <ListTools
        list={list}
        actions={
          <>
            <Views page="mailboxes" />
            <ImportExportMenu list={list} onImport={() => open({ import: true })}>
              {search.isFiltered ? 'Export shown' : 'Export as CSV'}
            </ImportExportMenu>
          </>
        }
      >
        <SearchInput search={search} label="Filter by address or name" placeholder="Address or name" />
        <ShowFilter search={search} choices={CHOICES} counts={counts} narrow="columns" />
      </ListTools>
      <MailboxTable
        list={list}
        empty={<NoMailboxes domainName={domainName} hasNoDomains={domainScope.hasNoDomains} onNew={openNew} />}
        caption={`Mailboxes, by ${SORT_LABELS[search.sort.field]}`}
      />
      <ImportDialog
        opened={values.import}
        defaultDomain={domainScope.defaultDomain}
        onClose={() => open({ import: null })}
      />
      <NewMailboxDialog
        opened={values.new}
        defaultDomain={domainScope.defaultDomain}
        defaultLocalPart={values.local}
        onClose={() => open({ new: null, local: null })}
      />
    </Page>
  );
}

/** As far as the navigation counts. */
const MAX_COUNTED = 99;

/** The mailboxes that the navigation counts. There is no number if there are more. */
function countsOf(attention: ReturnType<typeof useAttention>['data']): { suspended?: number; full?: number } {
  if (!attention) return {};
  const { counts, suspended_mailboxes: suspended } = attention;
  const all = counts.mailboxes ?? 0;
  return all <= MAX_COUNTED ? { suspended, full: all - suspended } : {};
}

'use client';

import { Button } from '@mantine/core';
import { prefetchDuringRender } from '@/components/api/prefetch-during-render';
import { trpc } from '@/components/api/trpc';
import { EmptyState } from '@/components/data-table/states';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { IconPlus } from '@/components/icons/icons';
import { ListTools, ListView } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { parseAsShow, ShowFilter } from '@/components/list/show-filter';
import { useList } from '@/components/list/use-list';
import { parseAsText, useListSearch } from '@/components/list/use-list-search';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { Steps } from '@/components/text/steps';
import { sieveFilterList } from '../../lists';
import { inRunOrder } from '../filter-values';
import { FilterSkeleton, MailServerAlert, useMailServerState } from '../mail-server-alert';
import { filterColumns } from './filter-columns';
import classes from './filters-page.module.css';
import { useFilterActions } from './use-filter-actions';

const MAX_FILTERS_SHOWN = 200;
const CHOICES = {
  all: { label: 'All filters', input: {} },
  global: { label: 'All mail', input: { scope: 'global' } },
  domain: { label: 'Domains', input: { scope: 'domain' } },
  mailbox: { label: 'Mailboxes', input: { scope: 'mailbox' } },
} as const;

const SEARCH = {
  filters: { q: parseAsText, show: parseAsShow(CHOICES) },
};

export function FiltersPage() {
  const search = useListSearch(SEARCH);
  const { show } = search.values;
  const utils = trpc.useUtils();
  prefetchDuringRender(() => utils.mailServer.get.prefetch({}));
  const domainScope = useDomainScope();
  const actions = useFilterActions();
  const input = {
    domain_id: (show !== 'global' && domainScope.selectedId) || undefined,
    ...CHOICES[show].input,
    q: search.settled.q || undefined,
    order: 'asc',
  } as const;
  const list = useList(sieveFilterList, trpc.sieveFilters.list, {
    search,
    input,
    limit: MAX_FILTERS_SHOWN,
    isCounted: false,
  });
  const { data } = list.query;
  const mailServer = useMailServerState();
  const rows = data && inRunOrder(data.items.map(actions.latest));
  const domainName = domainScope.selectedDomain?.name;

  return (
    <Page>
      <PageHeader
        title="Filters"
        description={
          domainScope.selectedId
            ? 'Sieve scripts of this domain and its mailboxes. Scripts for all mail run first'
            : 'Sieve scripts for incoming mail: for all mail first, then domains, then mailboxes'
        }
      >
        <NewFilterButton domainId={domainScope.selectedId} />
      </PageHeader>
      {mailServer === undefined ? (
        <FilterSkeleton />
      ) : (
        <>
          {mailServer !== 'attached' && <MailServerAlert state={mailServer} />}
          <ListTools list={list}>
            <SearchInput search={search} label="Filter by name" placeholder="Name" />
            <ShowFilter search={search} label="Applies to" choices={CHOICES} />
          </ListTools>
          <ListView
            list={list}
            rows={rows}
            empty={<NoFilters domainName={domainName} />}
            noMatches="No filter that you have access to matches."
            caption="Filters, in run order"
            columns={filterColumns({
              filters: rows ?? [],
              canMove: search.settled.q === '' && !list.query.isPlaceholderData,
              actions,
            })}
            rowHref={({ id }) => `/sieve-filters/${id}`}
            isInactive={({ active }) => !active}
            skeletonRows={6}
            footer={
              data?.pagination.has_more ? (
                <p className={`soft ${classes.more}`}>
                  Showing the oldest {MAX_FILTERS_SHOWN} filters. Choose a domain at the top of the page to see all of
                  its filters.
                </p>
              ) : undefined
            }
          />
        </>
      )}
    </Page>
  );
}

function NewFilterButton({ domainId }: { domainId: string | null }) {
  return (
    <Button
      variant="filled"
      component={NearLink}
      href={`/sieve-filters/new${domainId ? `?domain=${encodeURIComponent(domainId)}` : ''}`}
      leftSection={<IconPlus stroke={2} />}
    >
      New filter
    </Button>
  );
}

function NoFilters({ domainName }: { domainName: string | undefined }) {
  return (
    <EmptyState title={domainName ? `No filters for ${domainName} yet` : 'No filters yet'}>
      <p>
        Without filters, incoming mail goes to the inbox. A filter is a Sieve script that files, forwards, answers or
        rejects mail. It takes effect with the next message.
      </p>
      <Steps>
        <span>
          <b>Filters for all mail run first,</b> then the domain’s, then the mailbox’s, then the script that the
          mailbox’s owner set up in a mail program.
        </span>
        <span>
          <b>The first filter that files, forwards, rejects or discards a message stops processing.</b> A message that
          is kept goes to the next filter.
        </span>
        <span>
          <b>The mail server checks every script</b> before it is saved.
        </span>
      </Steps>
    </EmptyState>
  );
}

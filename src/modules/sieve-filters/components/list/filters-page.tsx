'use client';

import { Button } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import { parseAsStringLiteral } from 'nuqs';
import { prefetchDuringRender } from '@/components/api/prefetch-during-render';
import { trpc } from '@/components/api/trpc';
import { EmptyState } from '@/components/data-table/states';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { IconPlus } from '@/components/icons/icons';
import { ListActions } from '@/components/list/list-actions';
import { ListTools, ListView } from '@/components/list/list-view';
import { useListSearch } from '@/components/list/use-list-search';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { SegmentedControl } from '@/components/segmented-control';
import { Page } from '@/components/shell/page';
import { Steps } from '@/components/text/steps';
import { inRunOrder } from '../filter-values';
import { FilterSkeleton, MailServerAlert, useMailServerState } from '../mail-server-alert';
import { filterColumns } from './filter-columns';
import classes from './filters-page.module.css';
import { useFilterActions } from './use-filter-actions';

const MAX_FILTERS_SHOWN = 200;
const SCOPES = { all: undefined, global: 'global', domain: 'domain', mailbox: 'mailbox' } as const;

const SEARCH = {
  filters: { show: parseAsStringLiteral(['all', 'global', 'domain', 'mailbox']).withDefault('all') },
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
    scope: SCOPES[show],
    order: 'asc',
  } as const;
  const list = trpc.sieveFilters.list.useQuery(
    { ...input, limit: MAX_FILTERS_SHOWN },
    { placeholderData: keepPreviousData },
  );
  const mailServer = useMailServerState();
  const rows = list.data && inRunOrder(list.data.items.map(actions.latest));
  const domainName = domainScope.selectedDomain?.name;

  return (
    <Page>
      <PageHeader
        title="Filters"
        description={
          domainScope.selectedId
            ? 'Sieve scripts of this domain and its mailboxes. Scripts for all mail run first'
            : 'Sieve scripts for incoming mail, in run order'
        }
      >
        <NewFilterButton domainId={domainScope.selectedId} />
      </PageHeader>
      {mailServer === undefined ? (
        <FilterSkeleton />
      ) : (
        <>
          {mailServer !== 'attached' && <MailServerAlert state={mailServer} />}
          <ListTools
            query={list}
            actions={<ListActions page="sieve_filters" path="/sieve-filters/export" input={input} what="filters" />}
          >
            <SegmentedControl
              label="Applies to"
              value={show}
              options={{ all: 'All', global: 'Global', domain: 'Domains', mailbox: 'Mailboxes' }}
              onChange={(next) => search.change({ show: next })}
            />
          </ListTools>
          <ListView
            query={list}
            search={search}
            rows={rows}
            what="filters"
            empty={<NoFilters domainName={domainName} />}
            noMatches="No filter that you have access to matches."
            caption="Filters, in run order"
            columns={filterColumns({ filters: rows ?? [], actions })}
            rowKey={({ id }) => id}
            rowHref={({ id }) => `/sieve-filters/${id}`}
            isInactive={({ active }) => !active}
            skeletonRows={6}
            footer={
              list.data?.pagination.has_more && (
                <p className={`soft ${classes.more}`}>
                  Showing the oldest {MAX_FILTERS_SHOWN} filters. Choose a domain at the top of the page to see all of
                  its filters.
                </p>
              )
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
        <li>
          <span>
            <b>Filters for all mail run first,</b> then the domain’s, then the mailbox’s, then the script that the
            mailbox’s owner set up in a mail program.
          </span>
        </li>
        <li>
          <span>
            <b>The first filter that files, forwards, rejects or discards a message stops processing.</b> A message that
            is kept goes to the next filter.
          </span>
        </li>
        <li>
          <span>
            <b>The mail server checks every script</b> before it is saved.
          </span>
        </li>
      </Steps>
    </EmptyState>
  );
}

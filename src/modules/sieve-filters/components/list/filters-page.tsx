'use client';

import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { keepPreviousData } from '@tanstack/react-query';
import Link from 'next/link';
import { parseAsStringLiteral, useQueryState } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { DataTable } from '@/components/data-table/data-table';
import { EmptyState, ErrorState } from '@/components/data-table/states';
import { useDomainScope } from '@/components/directory/use-domain-scope';
import { Notification } from '@/components/notification';
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

export function FiltersPage() {
  const [show, setShow] = useQueryState(
    'show',
    parseAsStringLiteral(['all', 'global', 'domain', 'mailbox']).withDefault('all'),
  );
  const domainScope = useDomainScope();
  const actions = useFilterActions();
  const mailServer = useMailServerState();
  const list = trpc.sieveFilters.list.useQuery(
    {
      domain_id: (show !== 'global' && domainScope.selectedId) || undefined,
      scope: SCOPES[show],
      limit: MAX_FILTERS_SHOWN,
      order: 'asc',
    },
    { placeholderData: keepPreviousData },
  );
  const rows = list.data && inRunOrder(actions.latest(list.data.items));
  const domainName = domainScope.selectedId ? domainScope.nameOf(domainScope.selectedId) : undefined;
  const hasFailed = list.isError && !rows;

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
          <Group py="md">
            <SegmentedControl
              label="Applies to"
              value={show}
              options={{ all: 'All', global: 'Global', domain: 'Domains', mailbox: 'Mailboxes' }}
              onChange={(next) => void setShow(next)}
            />
          </Group>
          {hasFailed && <ErrorState what="filters" error={list.error} onRetry={() => void list.refetch()} />}
          {rows?.length === 0 && show === 'all' && <NoFilters domainName={domainName} />}
          {rows?.length === 0 && show !== 'all' && (
            <EmptyState title="No matching filters">
              <p>No filter that you have access to matches.</p>
              <Group pt="md">
                <Button onClick={() => void setShow(null)}>Show all</Button>
              </Group>
            </EmptyState>
          )}
          {!hasFailed && rows?.length !== 0 && (
            <DataTable
              caption="Filters, in run order"
              columns={filterColumns({ filters: rows ?? [], actions })}
              rows={rows}
              rowKey={({ id }) => id}
              rowHref={({ id }) => `/sieve-filters/${id}`}
              isInactive={({ active }) => !active}
              isStale={list.isPlaceholderData}
              skeletonRows={6}
            />
          )}
          {list.data?.pagination.has_more && (
            <p className={`soft ${classes.more}`}>
              Showing the oldest {MAX_FILTERS_SHOWN} filters. Choose a domain at the top of the page to see all of its
              filters.
            </p>
          )}
        </>
      )}
      <Notification notice={actions.notice} onDismiss={actions.dismiss} />
    </Page>
  );
}

function NewFilterButton({ domainId }: { domainId: string | null }) {
  return (
    <Button
      variant="filled"
      component={Link}
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

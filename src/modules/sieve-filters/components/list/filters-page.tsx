'use client';

import { Button } from '@mantine/core';
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
import { inOrder } from '../filter-values';
import { NoMailServer, useMailServer, Waiting } from '../no-mail-server';
import { filterColumns } from './filter-columns';
import { useFilterActions } from './use-filter-actions';

const MOST = 200;
const SHOWN = { all: undefined, global: 'global', domain: 'domain', mailbox: 'mailbox' } as const;

export function FiltersPage() {
  const [show, setShow] = useQueryState(
    'show',
    parseAsStringLiteral(['all', 'global', 'domain', 'mailbox']).withDefault('all'),
  );
  const reach = useDomainScope();
  const actions = useFilterActions();
  const mailServer = useMailServer();
  const list = trpc.sieveFilters.list.useQuery(
    { domain_id: (show !== 'global' && reach.selectedId) || undefined, scope: SHOWN[show], limit: MOST, order: 'asc' },
    { placeholderData: keepPreviousData },
  );
  const rows = list.data && inOrder(actions.latest(list.data.items));
  const domainName = reach.selectedId ? reach.nameOf(reach.selectedId) : undefined;
  const hasFailed = list.isError && !rows;

  return (
    <Page>
      <PageHeader
        title="Filters"
        description={
          domainName
            ? `Of ${domainName} and its mailboxes; filters for all mail run before them`
            : 'What is done with arriving mail, in the order in which they run'
        }
      >
        <NewFilterButton domainId={reach.selectedId} />
      </PageHeader>
      {mailServer === undefined ? (
        <Waiting />
      ) : (
        <>
          {mailServer !== 'attached' && <NoMailServer state={mailServer} />}
          <div className="tools">
            <SegmentedControl
              label="Runs for"
              value={show}
              options={{ all: 'All', global: 'Everybody’s', domain: 'Domains', mailbox: 'Mailboxes' }}
              onChange={(next) => void setShow(next)}
            />
          </div>
          {hasFailed && <ErrorState what="filters" error={list.error} onRetry={() => void list.refetch()} />}
          {rows?.length === 0 && show === 'all' && <NoFilters domainName={domainName} />}
          {rows?.length === 0 && show !== 'all' && (
            <EmptyState title="No filter of this kind">
              <p>There are none, or you do not reach them.</p>
              <div className="row-actions">
                <Button onClick={() => void setShow(null)}>Show all</Button>
              </div>
            </EmptyState>
          )}
          {!hasFailed && rows?.length !== 0 && (
            <DataTable
              caption="Filters, in the order in which they run"
              className="filters"
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
            <p className="soft filter-more">
              These are the {MOST} oldest. Choose a domain in the header to see all of its own.
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
    <EmptyState title={domainName ? `No filter is for ${domainName} alone` : 'Arriving mail goes to the inbox'}>
      <p>
        A filter is a Sieve script: it files mail in folders, sends copies on, answers while somebody is away, or
        refuses what nobody wants. It counts from the next message on.
      </p>
      <ol className="steps">
        <li>
          <span>
            <b>Filters for all mail run first,</b> then those of the domain, then those of the mailbox, then what the
            mailbox’s owner set up in a mail program.
          </span>
        </li>
        <li>
          <span>
            <b>The first one that files, forwards, rejects or discards a message ends it.</b> What is kept goes on to
            the next one.
          </span>
        </li>
        <li>
          <span>
            <b>The mail server checks every script</b> before it is saved.
          </span>
        </li>
      </ol>
    </EmptyState>
  );
}

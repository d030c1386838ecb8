'use client';

import { Button, Group } from '@mantine/core';
import { parseAsBoolean } from 'nuqs';
import { useMemo } from 'react';
import { trpc } from '@/components/api/trpc';
import { EmptyState } from '@/components/data-table/states';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { IconPlus } from '@/components/icons/icons';
import { ListTools, ListView } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { ACTIVE_CHOICES, parseAsShow, ShowFilter } from '@/components/list/show-filter';
import { useList } from '@/components/list/use-list';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { SELECTABLE, selectColumn } from '@/components/selection/select-column';
import { SelectionBar } from '@/components/selection/selection-bar';
import { useSelection } from '@/components/selection/use-selection';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import { Steps } from '@/components/text/steps';
import type { SortOf } from '@/lib/lists';
import { domainList } from '../lists';
import { useDnsChecks } from './dns/use-dns-checks';
import { domainColumns } from './domain-columns';

const AddDomainDialog = lazyDialog(() => import('./add-domain-dialog').then((module) => module.AddDomainDialog));

const AddDomainsDialog = lazyDialog(() => import('./add-domains-dialog').then((module) => module.AddDomainsDialog));

const CHOICES = {
  ...ACTIVE_CHOICES,
  broken: { label: 'DNS problems', input: { active: true, dns_status: 'error' } },
  warned: { label: 'Warnings', input: { active: true, dns_status: 'warning' } },
  unprotected: { label: 'DMARC missing', input: { active: true, dmarc_policy: 'missing' } },
  lax: { label: 'DMARC none', input: { active: true, dmarc_policy: 'none' } },
} as const;

const ORDERS: Record<SortOf<typeof domainList>, string> = {
  created_at: 'date added',
  name: 'name',
  dns_status: 'state of their DNS',
  dmarc_policy: 'DMARC policy',
};

/** As far as the navigation counts. */
const MAX_COUNTED = 99;

const SEARCH = {
  filters: { q: parseAsText, show: parseAsShow(CHOICES) },
  view: {
    ...sortBy(domainList, { sort: 'name', order: 'asc' }),
    new: parseAsBoolean.withDefault(false),
    several: parseAsBoolean.withDefault(false),
  },
};

export function DomainsPage() {
  const search = useListSearch(SEARCH);
  const { values, settled, open } = search;
  const canAdd = useHasRole('admin');
  const input = { q: settled.q || undefined, ...CHOICES[values.show].input };
  // Without the selected domain: the list has all.
  const attention = trpc.overview.attention.useQuery({}, { staleTime: 60_000 }).data;
  const broken = attention?.counts.domains ?? 0;
  const columns = useMemo(
    () =>
      domainColumns(
        new Map(attention?.items.map(({ section, id, reason }) => [section === 'domains' ? id : '', reason])),
      ),
    [attention],
  );
  const list = useList(domainList, trpc.domains.list, { search, input });
  const selection = useSelection(list.query.data?.items ?? [], ({ id }) => id);
  const checks = useDnsChecks();

  return (
    <Page>
      <PageHeader
        title="Domains"
        description={
          <>
            <span>The domains you send and receive mail for</span>
            <NearLink className="act" href="/domains/dns">
              DNS and reports
            </NearLink>
          </>
        }
      >
        {canAdd && (
          <>
            <Button onClick={() => open({ several: true })}>Add several</Button>
            <Button variant="filled" leftSection={<IconPlus stroke={2} />} onClick={() => open({ new: true })}>
              Add domain
            </Button>
          </>
        )}
        {canAdd === false && <span className="quiet">Only admins can add domains</span>}
      </PageHeader>
      <ListTools list={list}>
        <SearchInput
          search={search}
          label="Filter by name"
          placeholder="Domain name"
          w={200}
          className="grow-small mono-input"
        />
        <ShowFilter
          search={search}
          choices={CHOICES}
          counts={broken <= MAX_COUNTED ? { broken } : {}}
          narrow="columns"
        />
      </ListTools>
      <SelectionBar selection={selection} what="domains">
        <Button
          size="xs"
          disabled={checks.isBusy}
          onClick={() => {
            checks.checkAll(selection.rowsNow());
            selection.clear();
          }}
        >
          Check DNS
        </Button>
      </SelectionBar>
      <ListView
        list={list}
        empty={canAdd !== undefined && <NoDomains canAdd={canAdd} onAdd={() => open({ new: true })} />}
        noMatches="No domain matches these filters."
        caption={`Domains, by ${ORDERS[values.sort]}`}
        className={SELECTABLE}
        columns={[selectColumn({ selection, nameOf: ({ name }) => name, mobile: 'mark' }), ...columns]}
        isSelected={selection.has}
        rowHref={({ id }) => `/domains/${id}`}
        isInactive={({ active }) => !active}
      />
      <AddDomainDialog opened={values.new && canAdd === true} onClose={() => open({ new: null })} />
      <AddDomainsDialog opened={values.several && canAdd === true} onClose={() => open({ several: null })} />
    </Page>
  );
}

type NoDomainsProps = { canAdd: boolean; onAdd: () => void };

function NoDomains({ canAdd, onAdd }: NoDomainsProps) {
  return (
    <EmptyState title="No domains yet">
      <p>A domain is the part after the @. Postroom sends mail only from domains that you add.</p>
      {canAdd ? (
        <>
          <Steps>
            <span>
              <b>Add the domain.</b> You can send from it immediately.
            </span>
            <span>
              <b>Send a test</b> from any address on the domain.
            </span>
          </Steps>
          <Group pt="md">
            <Button variant="outline" leftSection={<IconPlus stroke={1.75} />} onClick={onAdd}>
              Add domain
            </Button>
          </Group>
        </>
      ) : (
        <p>No domain is assigned to you. Ask a super admin to assign one.</p>
      )}
    </EmptyState>
  );
}

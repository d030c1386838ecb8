'use client';

import { Select } from '@mantine/core';
import { parseAsStringLiteral } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { Cell, Clipped, RowLink } from '@/components/data-table/cells';
import { NoRows } from '@/components/data-table/states';
import { ListTools, ListView } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { parseAsShow, ShowFilter } from '@/components/list/show-filter';
import { useList } from '@/components/list/use-list';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import type { SortOf } from '@/lib/lists';
import { DNS_PURPOSE_TEXTS, DNS_STATE_PROBLEMS, DNS_STATE_PURPOSES } from '@/lib/mail/dns-purposes';
import { domainStateList } from '../../lists';
import { STATE_COLUMNS } from './state-columns';

const CHOICES = {
  active: { label: 'Active', input: { active: true } },
  broken: { label: 'Problems', input: { active: true, dns_status: 'error' } },
  warned: { label: 'Warnings', input: { active: true, dns_status: 'warning' } },
  all: { label: 'All', input: {} },
} as const;

const PROBLEM_OPTIONS = [
  ...DNS_STATE_PURPOSES.map((value) => ({ value, label: `Problem with ${DNS_PURPOSE_TEXTS[value].label}` })),
  { value: 'dmarc_failures', label: 'Failures in DMARC reports' },
  { value: 'tls_failures', label: 'Failures in TLS reports' },
];

const ORDERS: Record<SortOf<typeof domainStateList>, string> = {
  dns_status: 'state',
  dmarc_policy: 'DMARC policy',
  name: 'name',
  checked_at: 'last check',
  dmarc_pass_rate: 'DMARC pass rate',
  tls_failures: 'TLS failures',
};

const SEARCH = {
  filters: { q: parseAsText, show: parseAsShow(CHOICES), problem: parseAsStringLiteral(DNS_STATE_PROBLEMS) },
  view: sortBy(domainStateList),
};

/** The DNS, policies and reports of all domains, those with problems first. */
export function DomainStatesPage() {
  const search = useListSearch(SEARCH);
  const { values, settled } = search;
  const input = { q: settled.q || undefined, problem: values.problem ?? undefined, ...CHOICES[values.show].input };
  const list = useList(domainStateList, trpc.domains.states, { search, input });

  return (
    <Page>
      <PageHeader
        title="DNS and reports"
        parent={{ label: 'Domains', href: '/domains' }}
        description="The last check of each domain, and the DMARC and TLS reports of the last 7 days"
      />
      <ListTools list={list}>
        <SearchInput
          search={search}
          label="Filter by name"
          placeholder="Domain name"
          className="grow-small mono-input"
        />
        <ShowFilter search={search} choices={CHOICES} />
        <Select
          aria-label="Problem"
          placeholder="Any problem"
          data={PROBLEM_OPTIONS}
          clearable
          w={{ base: '100%', sm: 224 }}
          value={values.problem}
          onChange={(problem) => search.change({ problem: problem as typeof values.problem })}
        />
      </ListTools>
      <ListView
        list={list}
        empty={<NoRows>No active domains.</NoRows>}
        noMatches="No domain matches these filters."
        caption={`DNS and reports of domains, by ${ORDERS[values.sort]}`}
        columns={[
          {
            header: 'Name',
            mobile: 'lead',
            sortBy: 'name',
            firstOrder: 'asc',
            skeletonWidth: 180,
            cell: ({ id, name }) => (
              <Cell>
                <RowLink href={`/domains/${id}`}>
                  <Clipped text={name} className="mono" />
                </RowLink>
              </Cell>
            ),
          },
          ...STATE_COLUMNS,
        ]}
        rowHref={({ id }) => `/domains/${id}`}
        isInactive={({ active }) => !active}
        isDense
      />
    </Page>
  );
}

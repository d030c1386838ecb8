'use client';

import { Button, Group } from '@mantine/core';
import { parseAsBoolean } from 'nuqs';
import { trpc } from '@/components/api/trpc';
import { Clipped, Copyable, RowLink } from '@/components/data-table/cells';
import { addedColumn } from '@/components/data-table/columns';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { EmptyState } from '@/components/data-table/states';
import { lazyDialog } from '@/components/dialogs/lazy-dialog';
import { IconPlus } from '@/components/icons/icons';
import { ListTools, ListView } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { ACTIVE_CHOICES, parseAsShow, ShowFilter } from '@/components/list/show-filter';
import { useList } from '@/components/list/use-list';
import { parseAsText, sortBy, useListSearch } from '@/components/list/use-list-search';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { PageHeader } from '@/components/page-header';
import { Page } from '@/components/shell/page';
import { useHasRole } from '@/components/shell/use-has-role';
import { Steps } from '@/components/text/steps';
import { formatCount } from '@/lib/format';
import { domainList } from '../lists';
import type { Domain } from '../schema';
import { DnsMark } from './dns-mark';
import classes from './domains-page.module.css';

const AddDomainDialog = lazyDialog(() => import('./add-domain-dialog').then((module) => module.AddDomainDialog));

const AddDomainsDialog = lazyDialog(() => import('./add-domains-dialog').then((module) => module.AddDomainsDialog));

const CHOICES = {
  ...ACTIVE_CHOICES,
  broken: { label: 'DNS problems', input: { active: true, dns_status: 'error' } },
  unprotected: { label: 'DMARC missing', input: { active: true, dmarc_policy: 'missing' } },
} as const;

/** As far as the navigation counts. */
const MAX_COUNTED = 99;

const SEARCH = {
  filters: { q: parseAsText, show: parseAsShow(CHOICES) },
  view: {
    ...sortBy(['name', 'created_at']),
    new: parseAsBoolean.withDefault(false),
    several: parseAsBoolean.withDefault(false),
  },
};

export function DomainsPage() {
  const search = useListSearch(SEARCH);
  const { values, settled, open } = search;
  const canAdd = useHasRole('admin');
  const input = {
    q: settled.q || undefined,
    ...CHOICES[values.show].input,
    sort: values.sort,
    order: values.order,
  };
  // Without the selected domain: the list has all.
  const broken = trpc.overview.attention.useQuery({}, { staleTime: 60_000 }).data?.counts.domains ?? 0;
  const list = useList(domainList, trpc.domains.list, { search, input });

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
          className="grow-small mono-input"
        />
        <ShowFilter
          search={search}
          choices={CHOICES}
          counts={broken <= MAX_COUNTED ? { broken } : {}}
          narrow="columns"
        />
      </ListTools>
      <ListView
        list={list}
        empty={canAdd !== undefined && <NoDomains canAdd={canAdd} onAdd={() => open({ new: true })} />}
        noMatches="No domain matches these filters."
        caption={`Domains, by ${values.sort === 'name' ? 'name' : 'date added'}`}
        columns={COLUMNS}
        rowHref={({ id }) => `/domains/${id}`}
        isInactive={({ active }) => !active}
      />
      <AddDomainDialog opened={values.new && canAdd === true} onClose={() => open({ new: null })} />
      <AddDomainsDialog opened={values.several && canAdd === true} onClose={() => open({ several: null })} />
    </Page>
  );
}

const COLUMNS: DataTableColumn<Domain>[] = [
  {
    header: 'DNS',
    width: 116,
    kind: 'mark',
    mobile: 'side',
    skeletonWidth: 64,
    cell: ({ dns_status, active }) => <DnsMark status={dns_status} active={active} />,
  },
  {
    header: 'Name',
    kind: 'copyable',
    mobile: 'lead',
    sortBy: 'name',
    skeletonWidth: 180,
    cell: ({ id, name }) => (
      <Copyable value={name} what="domain">
        <RowLink href={`/domains/${id}`}>
          <Clipped text={name} className={`mono ${classes.name}`} />
        </RowLink>
      </Copyable>
    ),
  },
  {
    header: 'DMARC',
    width: 100,
    skeletonWidth: 64,
    cell: (domain) => {
      const { dmarc_policy: policy, dns_status } = domain;
      if (policy === 'unknown') return <span className="soft">No answer</span>;
      if (policy === null && dns_status === 'unchecked') return <span className="soft">Not checked</span>;
      const weakness = dmarcWeakness(domain);
      return weakness ? <StatusMark status="warning">{weakness}</StatusMark> : <span className="soft">{policy}</span>;
    },
  },
  {
    header: 'Description',
    width: 204,
    maxWidth: 400,
    isOptional: true,
    mobile: 'under',
    skeletonWidth: 160,
    className: 'soft',
    cell: (domain) => (
      <>
        <NarrowWarnings domain={domain} />
        <Clipped text={domain.description} />
      </>
    ),
  },
  {
    header: 'Mailboxes',
    width: 92,
    kind: 'figure',
    skeletonWidth: 24,
    cell: ({ id, mailbox_count, max_mailboxes }) => (
      <OutOf count={mailbox_count} limit={max_mailboxes} what="mailboxes" href={`/mailboxes?domain=${id}`} />
    ),
  },
  {
    header: 'Aliases',
    width: 92,
    kind: 'figure',
    skeletonWidth: 24,
    cell: ({ id, alias_count, max_aliases }) => (
      <OutOf count={alias_count} limit={max_aliases} what="aliases" href={`/aliases?domain=${id}`} />
    ),
  },
  {
    header: 'Hourly limit',
    isOptional: true,
    width: 84,
    kind: 'figure',
    skeletonWidth: 40,
    className: 'soft',
    cell: ({ hourly_send_limit }) => (hourly_send_limit === null ? 'Default' : formatCount(hourly_send_limit)),
  },
  { ...addedColumn(), width: 100 },
];

/** Receiving servers deliver forged mail without a policy, and with the policy `none`. */
function dmarcWeakness({ dmarc_policy: policy, dns_status }: Domain): string | null {
  if (policy === null) return dns_status === 'unchecked' ? null : 'Missing';
  return policy === 'none' ? policy : null;
}

/** What other columns mark on a wide screen. */
function NarrowWarnings({ domain }: { domain: Domain }) {
  const { active, mailbox_count, max_mailboxes, alias_count, max_aliases } = domain;
  const weakness = active && dmarcWeakness(domain);
  const texts = [
    weakness && `DMARC ${weakness.toLowerCase()}`,
    isFull(mailbox_count, max_mailboxes) && `${formatCount(mailbox_count)} of ${formatCount(mailbox_count)} mailboxes`,
    isFull(alias_count, max_aliases) && `${formatCount(alias_count)} of ${formatCount(alias_count)} aliases`,
  ].filter(Boolean);
  if (texts.length === 0) return null;
  return (
    <span className={`only-narrow ${classes.warnings}`}>
      <StatusMark status="warning">{texts.join(', ')}</StatusMark>
    </span>
  );
}

function isFull(count: number, limit: number | null): boolean {
  return limit !== null && count >= limit;
}

type OutOfProps = { count: number; limit: number | null; what: string; href: string };

/** How many there are, below each other in all rows, and the limit. */
function OutOf({ count, limit, what, href }: OutOfProps) {
  const isAtLimit = isFull(count, limit);
  return (
    <span className={classes.outOf} data-full={isAtLimit || undefined} title={isAtLimit ? 'Limit reached' : undefined}>
      {isAtLimit && <StatusMark status="warning" shapeOnly />}
      <NearLink href={href}>
        {formatCount(count)}
        <span className="sr-only"> {what}</span>
      </NearLink>
      <span className={classes.limit}>{limit !== null && ` of ${formatCount(limit)}`}</span>
    </span>
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
            <li>
              <span>
                <b>Add the domain.</b> You can send from it immediately.
              </span>
            </li>
            <li>
              <span>
                <b>Send a test</b> from any address on the domain.
              </span>
            </li>
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

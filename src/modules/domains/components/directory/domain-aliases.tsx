'use client';

import { trpc } from '@/components/api/trpc';
import { Cell, Copyable, RowLink } from '@/components/data-table/cells';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { EmptyState } from '@/components/data-table/states';
import { DestinationsCell } from '@/components/directory/destinations/destinations-cell';
import { WarningMark } from '@/components/directory/destinations/warning-mark';
import { ExportButton } from '@/components/list/export-csv';
import { ListView } from '@/components/list/list-view';
import { useList } from '@/components/list/use-list';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { EmailAddress } from '@/components/values/email-address';
import { aliasList } from '@/modules/aliases/lists';
import type { Alias } from '@/modules/aliases/schema';
import type { Domain } from '../../schema';
import { ShortListFooter } from './short-list-footer';

const SHOWN = 20;

export function DomainAliases({ domain }: { domain: Domain }) {
  const list = useList(aliasList, trpc.aliases.list, {
    input: { domain_id: domain.id, sort: 'source_local_part', order: 'asc' },
    limit: SHOWN,
  });
  return (
    <ListView
      list={list}
      empty={
        <EmptyState title={`No aliases in ${domain.name} yet`}>
          <p>An alias forwards mail to one or more addresses. It has no mailbox, so nobody signs in to it.</p>
        </EmptyState>
      }
      caption="Aliases of the domain, by address"
      columns={columnsOf(domain)}
      rowHref={({ id }) => aliasPath(domain, id)}
      isInactive={({ active }) => !active}
      skeletonRows={Math.min(SHOWN, domain.alias_count)}
      footer={
        <ShortListFooter shown={Math.min(SHOWN, domain.alias_count)} total={domain.alias_count}>
          <ExportButton list={list} />
          <NearLink className="act" href={`/aliases?domain=${domain.id}`}>
            Search and filter aliases
          </NearLink>
        </ShortListFooter>
      }
    />
  );
}

function columnsOf(domain: Domain): DataTableColumn<Alias>[] {
  return [
    {
      header: 'Address',
      mobile: 'lead',
      skeletonWidth: 200,
      kind: 'copyable',
      cell: ({ id, address, source_local_part: source, active, warnings }) => (
        <Copyable value={address} what="address">
          <Cell>
            <RowLink aria-label={source === '' ? 'Catch-all' : address} href={aliasPath(domain, id)}>
              {source === '' ? 'Catch-all' : <EmailAddress value={address} />}
            </RowLink>
            {!active && <StatusMark status="off" />}
            <ShadowedMark warnings={warnings} />
          </Cell>
        </Copyable>
      ),
    },
    {
      header: 'Delivers to',
      mobile: 'under',
      skeletonWidth: 200,
      cell: (alias) => <DestinationsCell alias={alias} />,
    },
  ];
}

function ShadowedMark({ warnings }: Pick<Alias, 'warnings'>) {
  const shadowed = warnings.find(({ code }) => code === 'shadowed_by_mailbox');
  return shadowed && <WarningMark title={shadowed.message}>Shadowed</WarningMark>;
}

function aliasPath(domain: Domain, id: string): string {
  return `/aliases?domain=${domain.id}&edit=${id}`;
}

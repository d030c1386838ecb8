'use client';

import type { ReactNode } from 'react';
import { trpc } from '@/components/api/trpc';
import { Cell, Copyable, RowLink } from '@/components/data-table/cells';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { EmptyState } from '@/components/data-table/states';
import { StorageCell } from '@/components/directory/storage';
import { ExportButton } from '@/components/list/export-csv';
import { ListView } from '@/components/list/list-view';
import { useList } from '@/components/list/use-list';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';
import { EmailAddress } from '@/components/values/email-address';
import { mailboxList } from '@/modules/mailboxes/lists';
import type { Mailbox } from '@/modules/mailboxes/schema';
import type { Domain } from '../../schema';
import { ShortListFooter } from './short-list-footer';

const SHOWN = 20;

type DomainMailboxesProps = { domain: Domain; children: ReactNode };

/** Renders `children` only after the mailboxes are loaded, so that they don't move. */
export function DomainMailboxes({ domain, children }: DomainMailboxesProps) {
  const list = useList(mailboxList, trpc.mailboxes.list, {
    input: { domain_id: domain.id, sort: 'local_part', order: 'asc' },
    limit: SHOWN,
  });
  return (
    <>
      <ListView
        list={list}
        empty={
          <EmptyState title={`No mailboxes in ${domain.name} yet`}>
            <p>A mailbox stores the mail of one address. Its user signs in with a password to read and send mail.</p>
          </EmptyState>
        }
        caption="Mailboxes of the domain, by address"
        columns={COLUMNS}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/mailboxes/${id}`}
        isInactive={({ active }) => !active}
        skeletonRows={Math.min(SHOWN, domain.mailbox_count)}
        footer={
          <ShortListFooter shown={Math.min(SHOWN, domain.mailbox_count)} total={domain.mailbox_count}>
            <ExportButton list={list} />
            <NearLink className="act" href={`/mailboxes?domain=${domain.id}`}>
              Search and filter mailboxes
            </NearLink>
          </ShortListFooter>
        }
      />
      {(list.query.data || list.query.isError) && children}
    </>
  );
}

const COLUMNS: DataTableColumn<Mailbox>[] = [
  {
    key: 'address',
    header: 'Address',
    mobile: 'lead',
    skeletonWidth: 200,
    kind: 'copyable',
    cell: ({ id, email, active, suspended }) => (
      <Copyable value={email} what="address">
        <Cell>
          <RowLink aria-label={email} href={`/mailboxes/${id}`}>
            <EmailAddress value={email} />
          </RowLink>
          {suspended && <StatusMark status="failed">Suspended</StatusMark>}
          {!suspended && !active && <StatusMark status="off" />}
        </Cell>
      </Copyable>
    ),
  },
  {
    key: 'name',
    header: 'Name',
    width: 200,
    maxWidth: 360,
    isOptional: true,
    skeletonWidth: 120,
    className: 'soft',
    cell: ({ display_name }) => (
      <span className="clip" title={display_name}>
        {display_name}
      </span>
    ),
  },
  {
    key: 'storage',
    header: 'Storage used',
    width: 296,
    mobile: 'under',
    skeletonWidth: 160,
    cell: (mailbox) => <StorageCell mailbox={mailbox} />,
  },
];

'use client';

import type { ReactNode } from 'react';
import { trpc } from '@/components/api/trpc';
import { EmptyState } from '@/components/data-table/states';
import { MAILBOX_COLUMNS } from '@/components/directory/mailbox-columns';
import { ExportButton } from '@/components/list/export-csv';
import { ListView } from '@/components/list/list-view';
import { useList } from '@/components/list/use-list';
import { NearLink } from '@/components/near-link';
import { mailboxList } from '@/modules/mailboxes/lists';
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
        columns={MAILBOX_COLUMNS}
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

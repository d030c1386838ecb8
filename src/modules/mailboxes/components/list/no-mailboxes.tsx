'use client';

import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import Link from 'next/link';
import { EmptyState } from '@/components/data-table/states';
import { useHasRole } from '@/components/shell/use-has-role';

type NoMailboxesProps = { domainName: string | undefined; hasNoDomain: boolean; onNew: () => void };

export function NoMailboxes({ domainName, hasNoDomain, onNew }: NoMailboxesProps) {
  const mayAddDomain = useHasRole('admin');
  if (hasNoDomain) {
    return (
      <EmptyState title="First a domain">
        <p>A mailbox stands on a domain, and you reach none yet.</p>
        {mayAddDomain ? (
          <div className="row-actions">
            <Button
              component={Link}
              href="/domains?new=true"
              variant="outline"
              leftSection={<IconPlus stroke={1.75} />}
            >
              Add a domain
            </Button>
          </div>
        ) : (
          <p>A super admin can assign you one.</p>
        )}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={domainName ? `The mailboxes of ${domainName} will stand here` : 'Mailboxes will stand here'}>
      <p>A mailbox keeps the mail of one address. Whoever has its password reads it and sends from it.</p>
      <ol className="steps">
        <li>
          <span>
            <b>Name the address</b> and who it is for.
          </span>
        </li>
        <li>
          <span>
            <b>Give it a password.</b> One made here is shown once.
          </span>
        </li>
        <li>
          <span>
            <b>Hand it over.</b> Mail for it is taken at once.
          </span>
        </li>
      </ol>
      <div className="row-actions">
        <Button variant="outline" leftSection={<IconPlus stroke={1.75} />} onClick={onNew}>
          New mailbox
        </Button>
      </div>
    </EmptyState>
  );
}

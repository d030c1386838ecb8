'use client';

import { Button, Group } from '@mantine/core';
import { EmptyState } from '@/components/data-table/states';
import { IconPlus } from '@/components/icons/icons';
import { NearLink } from '@/components/near-link';
import { useHasRole } from '@/components/shell/use-has-role';
import { Steps } from '@/components/text/steps';

type NoMailboxesProps = { domainName: string | undefined; hasNoDomains: boolean; onNew: () => void };

export function NoMailboxes({ domainName, hasNoDomains, onNew }: NoMailboxesProps) {
  const canAddDomain = useHasRole('admin');
  if (hasNoDomains) {
    return (
      <EmptyState title="No domains yet">
        <p>A mailbox belongs to a domain, and you don’t have access to one yet.</p>
        {canAddDomain ? (
          <Group pt="md">
            <Button
              component={NearLink}
              href="/domains?new=true"
              variant="outline"
              leftSection={<IconPlus stroke={1.75} />}
            >
              Add domain
            </Button>
          </Group>
        ) : (
          <p>Ask a super admin to assign one to you.</p>
        )}
      </EmptyState>
    );
  }
  return (
    <EmptyState title={domainName ? `No mailboxes in ${domainName} yet` : 'No mailboxes yet'}>
      <p>A mailbox stores the mail of one address. Its user signs in with a password to read and send mail.</p>
      <Steps>
        <span>
          <b>Choose the address</b> and a display name.
        </span>
        <span>
          <b>Set a password.</b> A generated password is shown once.
        </span>
        <span>
          <b>Share the password.</b> The mailbox receives mail immediately.
        </span>
      </Steps>
      <Group pt="md">
        <Button variant="outline" leftSection={<IconPlus stroke={1.75} />} onClick={onNew}>
          New mailbox
        </Button>
      </Group>
    </EmptyState>
  );
}

'use client';

import { Button, Group } from '@mantine/core';
import { EmptyState } from '@/components/data-table/states';
import { IconPlus, IconTableImport } from '@/components/icons/icons';
import { DomainPicker } from '@/components/pickers/domain-picker';
import { Steps } from '@/components/text/steps';
import classes from './no-aliases.module.css';

type NoAliasesProps = { domainName: string | undefined; onNew: () => void; onImport: () => void };

export function NoAliases({ domainName, onNew, onImport }: NoAliasesProps) {
  return (
    <EmptyState title={domainName ? `No aliases in ${domainName} yet` : 'No aliases yet'}>
      <p>An alias forwards mail to one or more addresses. It has no mailbox, so nobody signs in to it.</p>
      <Steps>
        <span>
          <b>Choose the address,</b> or use the domain’s catch-all.
        </span>
        <span>
          <b>Add destinations:</b> up to ten addresses on any domain.
        </span>
        <span>
          <b>Active immediately.</b> Deactivate it at any time.
        </span>
      </Steps>
      <Group pt="md">
        <Button variant="outline" leftSection={<IconPlus stroke={1.75} />} onClick={onNew}>
          New alias
        </Button>
        <Button leftSection={<IconTableImport stroke={1.5} />} onClick={onImport}>
          Import CSV
        </Button>
      </Group>
    </EmptyState>
  );
}

type ChooseDomainProps = { hasNoDomains: boolean; onChoose: (id: string) => void };

export function ChooseDomain({ hasNoDomains, onChoose }: ChooseDomainProps) {
  if (hasNoDomains) {
    return (
      <EmptyState title="No domains yet">
        <p>No domain is assigned to you. Ask a super admin to assign one.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="Choose a domain">
      <p>As a domain admin, you view the aliases of one domain at a time.</p>
      <div className={classes.domain}>
        <DomainPicker onChange={(id) => id && onChoose(id)} />
      </div>
    </EmptyState>
  );
}

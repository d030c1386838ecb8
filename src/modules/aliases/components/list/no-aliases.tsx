'use client';

import { Button } from '@mantine/core';
import { IconPlus, IconTableImport } from '@tabler/icons-react';
import Link from 'next/link';
import { EmptyState } from '@/components/data-table/states';

type NoAliasesProps = { domainName: string | undefined; onNew: () => void; onImport: () => void };

export function NoAliases({ domainName, onNew, onImport }: NoAliasesProps) {
  return (
    <EmptyState title={domainName ? `The aliases of ${domainName} will stand here` : 'Aliases will stand here'}>
      <p>An alias is an address that leads to others. It has no mailbox of its own and nobody signs in to it.</p>
      <ol className="steps">
        <li>
          <span>
            <b>Name the address,</b> or take the catch-all of the domain.
          </span>
        </li>
        <li>
          <span>
            <b>Name where it leads:</b> up to ten addresses, here or elsewhere.
          </span>
        </li>
        <li>
          <span>
            <b>It counts at once,</b> and a switch stops it again.
          </span>
        </li>
      </ol>
      <div className="row-actions">
        <Button variant="outline" leftSection={<IconPlus stroke={1.75} />} onClick={onNew}>
          New alias
        </Button>
        <Button leftSection={<IconTableImport stroke={1.5} />} onClick={onImport}>
          Import a CSV file
        </Button>
      </div>
    </EmptyState>
  );
}

export function NoAliasFits({ onClear }: { onClear: () => void }) {
  return (
    <EmptyState title="No alias fits">
      <p>No alias, and no destination of one, has this in its address and this state.</p>
      <div className="row-actions">
        <Button onClick={onClear}>Clear the filters</Button>
      </div>
    </EmptyState>
  );
}

type ChooseDomainProps = { domains: { id: string; name: string }[] };

export function ChooseDomain({ domains }: ChooseDomainProps) {
  if (domains.length === 0) {
    return (
      <EmptyState title="First a domain">
        <p>None is assigned to you yet. A super admin can assign one.</p>
      </EmptyState>
    );
  }
  return (
    <EmptyState title="Choose a domain">
      <p>Your role lists the aliases of one domain at a time. You can change it at the top of the page.</p>
      <ul className="steps unnumbered">
        {domains.map(({ id, name }) => (
          <li key={id}>
            <Link className="act mono" href={`/aliases?domain=${id}`}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </EmptyState>
  );
}

'use client';

import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { SegmentedControl } from '@/components/segmented-control';
import type { SieveScope } from '../schema';
import { SCOPE_LABELS } from './filter-values';
import classes from './scope-fields.module.css';

const MAX_OPTIONS = 20;

type ScopeFieldsProps = {
  scope: SieveScope;
  canUseGlobal: boolean;
  domains: { id: string; name: string }[];
  domain: object;
  mailbox: object;
  onScopeChange: (scope: SieveScope) => void;
};

export function ScopeFields({ scope, canUseGlobal, domains, domain, mailbox, onScopeChange }: ScopeFieldsProps) {
  const { global, ...ownScopes } = SCOPE_LABELS;
  return (
    <>
      <div className={classes.scope}>
        <span aria-hidden="true">Applies to</span>
        <SegmentedControl
          label="Applies to"
          value={scope}
          options={(canUseGlobal ? SCOPE_LABELS : ownScopes) as Record<SieveScope, string>}
          onChange={onScopeChange}
        />
      </div>
      {scope === 'domain' && (
        <Select
          label="Domain"
          placeholder="Choose a domain"
          data={domains.map(({ id, name }) => ({ value: id, label: name }))}
          searchable={domains.length > 8}
          allowDeselect={false}
          nothingFoundMessage="No matching domains"
          {...domain}
        />
      )}
      {scope === 'mailbox' && <MailboxSelect {...mailbox} />}
    </>
  );
}

function MailboxSelect(props: object) {
  const [typed, setTyped] = useState('');
  const [q] = useDebouncedValue(typed.trim(), 200);
  const found = trpc.mailboxes.list.useQuery(
    { q: q || undefined, limit: MAX_OPTIONS, sort: 'local_part', order: 'asc' },
    { placeholderData: keepPreviousData },
  );
  return (
    <Select
      label="Mailbox"
      className="mono-input"
      placeholder="Search by address"
      data={(found.data?.items ?? []).map(({ id, email }) => ({ value: id, label: email }))}
      filter={({ options }) => options}
      searchable
      allowDeselect={false}
      nothingFoundMessage={found.isFetching ? 'Searching…' : 'No matching mailboxes'}
      onSearchChange={setTyped}
      {...props}
    />
  );
}

'use client';

import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData } from '@tanstack/react-query';
import { useState } from 'react';
import { trpc } from '@/components/api/trpc';
import { SegmentedControl } from '@/components/segmented-control';
import type { SieveScope } from '../schema';
import { SCOPE_WORDS } from './filter-values';

const MOST = 20;

type PlaceFieldsProps = {
  scope: SieveScope;
  mayGlobal: boolean;
  domains: { id: string; name: string }[];
  domain: object;
  mailbox: object;
  onScope: (scope: SieveScope) => void;
};

export function PlaceFields({ scope, mayGlobal, domains, domain, mailbox, onScope }: PlaceFieldsProps) {
  const { global, ...narrow } = SCOPE_WORDS;
  return (
    <>
      <div className="filter-scope">
        <span aria-hidden="true">Runs for</span>
        <SegmentedControl
          label="Runs for"
          value={scope}
          options={(mayGlobal ? SCOPE_WORDS : narrow) as Record<SieveScope, string>}
          onChange={onScope}
        />
      </div>
      {scope === 'domain' && (
        <Select
          label="Domain"
          placeholder="Choose"
          data={domains.map(({ id, name }) => ({ value: id, label: name }))}
          searchable={domains.length > 8}
          allowDeselect={false}
          nothingFoundMessage="No domain of that name"
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
    { q: q || undefined, limit: MOST, sort: 'local_part', order: 'asc' },
    { placeholderData: keepPreviousData },
  );
  return (
    <Select
      label="Mailbox"
      className="mono-input"
      placeholder="Part of its address"
      data={(found.data?.items ?? []).map(({ id, email }) => ({ value: id, label: email }))}
      filter={({ options }) => options}
      searchable
      allowDeselect={false}
      nothingFoundMessage={found.isFetching ? 'Looking' : 'No mailbox of that address'}
      onSearchChange={setTyped}
      {...props}
    />
  );
}

'use client';

import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { ActiveFilter, SinceFilter } from '@/components/data-table/filters';
import { ListTools, type ListToolsProps } from '@/components/list/list-view';
import { SegmentedControl } from '@/components/segmented-control';
import { formatMoment } from '@/lib/format';
import { type AuditSearch, guessFilter, VALUE_FILTERS, type ValueFilter } from './use-audit-search';

const OUTCOMES = { all: 'All', success: 'Success', denied: 'Denied', error: 'Error' } as const;

type AuditToolsProps = { query: ListToolsProps['query']; search: AuditSearch };

export function AuditTools({ query, search }: AuditToolsProps) {
  const { values, change } = search;
  const set = (Object.keys(VALUE_FILTERS) as ValueFilter[]).filter((name) => values[name] !== null);
  const [text, setText] = useState('');
  const find = (event: FormEvent) => {
    event.preventDefault();
    const found = guessFilter(text);
    if (!found) return;
    change({ [found[0]]: found[1] });
    setText('');
  };
  return (
    <ListTools query={query} search={search}>
      <form className="grow-small" onSubmit={find}>
        <TextInput
          aria-label="Find entries"
          placeholder="Actor, action, resource, IP address or request ID"
          leftSection={<IconSearch size={16} stroke={1.5} />}
          w={{ base: '100%', sm: 360 }}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      </form>
      <SegmentedControl
        label="Outcome"
        value={values.outcome ?? 'all'}
        options={OUTCOMES}
        onChange={(outcome) => change({ outcome: outcome === 'all' ? null : outcome })}
      />
      <SinceFilter since={values.since} onChange={(since) => change({ since })} />
      {values.until && (
        <ActiveFilter
          name="Until"
          value={formatMoment(values.until.toISOString())}
          onRemove={() => change({ until: null })}
        />
      )}
      {set.map((name) => (
        <ActiveFilter
          key={name}
          name={VALUE_FILTERS[name]}
          value={values[name] ?? ''}
          onRemove={() => change({ [name]: null })}
        />
      ))}
    </ListTools>
  );
}

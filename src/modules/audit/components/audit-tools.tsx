'use client';

import { Select } from '@mantine/core';
import { ActiveFilter, PeriodFilter } from '@/components/data-table/filters';
import { ListTools } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { ShowFilter } from '@/components/list/show-filter';
import type { ShownList } from '@/components/list/use-list';
import { Views } from '@/components/list/views/views';
import type { AuditKind } from '@/lib/texts/audit-actions';
import { KINDS } from '@/lib/texts/audit-kinds';
import type { AuditEntry } from '../schema';
import { type AuditSearch, CHOICES, VALUE_FILTERS, type ValueFilter } from './use-audit-search';

const KIND_OPTIONS = Object.entries(KINDS)
  .map(([value, { label }]) => ({ value, label }))
  .sort((one, other) => one.label.localeCompare(other.label));

type AuditToolsProps = { list: ShownList<AuditEntry>; search: AuditSearch };

export function AuditTools({ list, search }: AuditToolsProps) {
  const { values, change } = search;
  const set = (Object.keys(VALUE_FILTERS) as ValueFilter[]).filter((name) => values[name] !== null);
  return (
    <ListTools list={list} hasClear actions={<Views page="audit" />}>
      <SearchInput
        search={search}
        label="Search entries"
        placeholder="Actor, action, name or request ID"
        w={{ base: '100%', sm: 280 }}
      />
      <ShowFilter search={search} choices={CHOICES} label="Show" />
      <Select
        aria-label="Kind"
        placeholder="All kinds"
        data={KIND_OPTIONS}
        clearable
        searchable
        w={160}
        value={values.kind}
        onChange={(kind) => change({ kind: kind as AuditKind | null })}
      />
      <PeriodFilter range={values} onChange={change} />
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

'use client';

import { ActiveFilter, PeriodFilter } from '@/components/data-table/filters';
import { ListTools } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import type { ShownList } from '@/components/list/use-list';
import { Views } from '@/components/list/views/views';
import { SegmentedControl } from '@/components/segmented-control';
import type { AuditEntry } from '../schema';
import { type AuditSearch, VALUE_FILTERS, type ValueFilter } from './use-audit-search';

const OUTCOMES = { all: 'All', success: 'Success', denied: 'Denied', error: 'Error' } as const;

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
        w={{ base: '100%', sm: 360 }}
      />
      <SegmentedControl
        label="Outcome"
        value={values.outcome ?? 'all'}
        options={OUTCOMES}
        narrow="line"
        onChange={(outcome) => change({ outcome: outcome === 'all' ? null : outcome })}
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

import { ActionIcon } from '@mantine/core';
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import Link from 'next/link';
import { activeColumn, updatedColumn } from '@/components/data-table/columns';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { EmailAddress } from '@/components/email-address';
import { StatusMark } from '@/components/marks/status-mark';
import type { SieveFilter } from '../../schema';
import { placeOf, sharing } from '../filter-values';
import type { useFilterActions } from './use-filter-actions';

type FilterColumnsOptions = { filters: SieveFilter[]; actions: ReturnType<typeof useFilterActions> };

export function filterColumns({ filters, actions }: FilterColumnsOptions): DataTableColumn<SieveFilter>[] {
  return [
    {
      key: 'place',
      header: 'Runs for',
      width: 264,
      mobile: 'under',
      skeletonWidth: 160,
      cell: (filter) => <Place filter={filter} />,
    },
    {
      key: 'order',
      header: 'Order',
      width: 112,
      mobile: 'side',
      kind: 'control',
      skeletonWidth: 64,
      cell: (filter) => <Order filter={filter} filters={filters} onMove={(by) => actions.move(filters, filter, by)} />,
    },
    {
      key: 'name',
      header: 'Filter',
      mobile: 'lead',
      skeletonWidth: 200,
      cell: ({ id, name }) => (
        <span className="cell">
          <Link className="link strong" href={`/sieve-filters/${id}`}>
            <span className="clip">{name}</span>
          </Link>
        </span>
      ),
    },
    {
      key: 'state',
      header: 'State',
      width: 96,
      kind: 'mark',
      skeletonWidth: 48,
      cell: ({ active }) => <StatusMark status={active ? 'on' : 'off'}>{active ? 'On' : 'Off'}</StatusMark>,
    },
    updatedColumn(),
    activeColumn({ nameOf: ({ name }) => name, isActive: ({ active }) => active, onChange: actions.switchTo }),
  ];
}

function Place({ filter }: { filter: SieveFilter }) {
  if (filter.scope === 'global') return placeOf(filter);
  return filter.scope === 'mailbox' ? (
    <EmailAddress value={placeOf(filter)} />
  ) : (
    <span className="mono line">{placeOf(filter)}</span>
  );
}

type OrderProps = { filter: SieveFilter; filters: SieveFilter[]; onMove: (by: -1 | 1) => void };

function Order({ filter, filters, onMove }: OrderProps) {
  const group = sharing(filters, filter);
  const place = group.findIndex(({ id }) => id === filter.id) + 1;
  return (
    <span className="filter-order">
      <span className="figure">{place}</span>
      {group.length > 1 && (
        <>
          <ActionIcon
            aria-label={`Run ${filter.name} earlier`}
            aria-disabled={place === 1}
            data-disabled={place === 1 || undefined}
            onClick={() => onMove(-1)}
          >
            <IconArrowUp size={16} stroke={1.5} />
          </ActionIcon>
          <ActionIcon
            aria-label={`Run ${filter.name} later`}
            aria-disabled={place === group.length}
            data-disabled={place === group.length || undefined}
            onClick={() => onMove(1)}
          >
            <IconArrowDown size={16} stroke={1.5} />
          </ActionIcon>
        </>
      )}
    </span>
  );
}

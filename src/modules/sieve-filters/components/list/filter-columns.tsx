import { ActionIcon } from '@mantine/core';
import { Cell, RowLink } from '@/components/data-table/cells';
import { activeColumn, updatedColumn } from '@/components/data-table/columns';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { IconArrowDown, IconArrowUp } from '@/components/icons/icons';
import { EmailAddress } from '@/components/values/email-address';
import type { SieveFilter } from '../../schema';
import { inSameScope, scopeNameOf } from '../filter-values';
import classes from './filter-columns.module.css';
import type { useFilterActions } from './use-filter-actions';

type FilterColumnsOptions = {
  filters: SieveFilter[];
  /** Whether all filters of each scope are listed, so that they have positions. */
  canMove: boolean;
  actions: ReturnType<typeof useFilterActions>;
};

export function filterColumns({ filters, canMove, actions }: FilterColumnsOptions): DataTableColumn<SieveFilter>[] {
  const hasOrder = canMove && filters.some((filter) => inSameScope(filters, filter).length > 1);
  return [
    {
      header: 'Filter',
      width: 320,
      maxWidth: 560,
      mobile: 'lead',
      skeletonWidth: 200,
      cell: ({ id, name }) => (
        <Cell>
          <RowLink href={`/sieve-filters/${id}`}>
            <span className="two-lines strong" title={name}>
              {name}
            </span>
          </RowLink>
        </Cell>
      ),
    },
    {
      key: 'scope',
      header: (
        <span className={classes.head}>
          Applies to
          {hasOrder && <span>Run order</span>}
        </span>
      ),
      mobile: 'under',
      skeletonWidth: 160,
      cell: (filter) => (
        <Cell>
          <ScopeName filter={filter} />
          {canMove && <Position filter={filter} filters={filters} onMove={(by) => actions.move(filters, filter, by)} />}
        </Cell>
      ),
    },
    updatedColumn(),
    activeColumn({ nameOf: ({ name }) => name, onChange: actions.setActive }),
  ];
}

function ScopeName({ filter }: { filter: SieveFilter }) {
  if (filter.scope === 'global') return scopeNameOf(filter);
  return filter.scope === 'mailbox' ? (
    <EmailAddress value={scopeNameOf(filter)} />
  ) : (
    <span className="mono">{scopeNameOf(filter)}</span>
  );
}

type PositionProps = { filter: SieveFilter; filters: SieveFilter[]; onMove: (by: -1 | 1) => void };

function Position({ filter, filters, onMove }: PositionProps) {
  const group = inSameScope(filters, filter);
  const position = group.findIndex(({ id }) => id === filter.id) + 1;
  if (group.length === 1) return null;
  return (
    <span className={classes.order}>
      <span className={classes.position} title="Filters of a scope run in this order">
        {position} of {group.length}
      </span>
      <ActionIcon
        aria-label={`Move ${filter.name} up`}
        aria-disabled={position === 1}
        data-disabled={position === 1 || undefined}
        onClick={() => onMove(-1)}
      >
        <IconArrowUp size={16} stroke={1.5} />
      </ActionIcon>
      <ActionIcon
        aria-label={`Move ${filter.name} down`}
        aria-disabled={position === group.length}
        data-disabled={position === group.length || undefined}
        onClick={() => onMove(1)}
      >
        <IconArrowDown size={16} stroke={1.5} />
      </ActionIcon>
    </span>
  );
}

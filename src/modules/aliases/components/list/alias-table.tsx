'use client';

import { useState } from 'react';
import type { CursorHistory } from '@/components/data-table/cursor-history';
import { DataTable } from '@/components/data-table/data-table';
import { Pagination } from '@/components/data-table/pagination';
import type { Alias } from '../../schema';
import { aliasColumns } from './alias-columns';
import classes from './alias-table.module.css';
import { SelectionBar } from './selection-bar';
import type { useAliasActions } from './use-alias-actions';

type AliasTableProps = {
  list: {
    data: { items: Alias[]; pagination: { has_more: boolean; next_cursor: string } } | undefined;
    isPlaceholderData: boolean;
  };
  history: CursorHistory;
  sort: { field: string; order: 'asc' | 'desc'; onSort: (field: string, order: 'asc' | 'desc') => void };
  actions: ReturnType<typeof useAliasActions>;
  onEdit: (alias: Alias) => void;
  onTrace: (alias: Alias) => void;
  onDelete: (aliases: Alias[]) => void;
};

const NONE: Alias[] = [];

export function AliasTable({ list, history, sort, actions, onEdit, onTrace, onDelete }: AliasTableProps) {
  const [selectedIds, setSelectedIds] = useState<string[]>([]);
  const rows = list.data?.items;
  const selectedAliases = (rows ?? NONE).filter(({ id }) => selectedIds.includes(id));
  const selected = new Set(selectedAliases.map(({ id }) => id));
  const selectAll = () => setSelectedIds((rows ?? NONE).map(({ id }) => id));
  const clear = () => setSelectedIds([]);

  return (
    <>
      {selectedAliases.length > 0 && (
        <SelectionBar
          count={selectedAliases.length}
          isAll={selectedAliases.length === rows?.length}
          onSelectAll={selectAll}
          onClear={clear}
          onSetActive={(active) => {
            actions.setActive(
              selectedAliases.filter((alias) => actions.isActive(alias) !== active),
              active,
            );
            clear();
          }}
          onDelete={() => onDelete(selectedAliases)}
        />
      )}
      <DataTable
        caption={`Aliases, by ${sort.field === 'created_at' ? 'date added' : 'address'}`}
        className={classes.table}
        hideHeader={selectedAliases.length > 0}
        columns={aliasColumns({
          rows: rows ?? NONE,
          selected,
          isActive: actions.isActive,
          onSelect: setSelectedIds,
          onSetActive: (alias, active) => actions.setActive([alias], active),
          onEdit,
          onTrace,
          onDelete: (alias) => onDelete([alias]),
        })}
        rows={rows}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/aliases?edit=${id}`}
        onOpen={onEdit}
        isSelected={({ id }) => selected.has(id)}
        isInactive={(alias) => !actions.isActive(alias)}
        isStale={list.isPlaceholderData}
        sort={sort}
      />
      <Pagination page={list.data} history={history} />
    </>
  );
}

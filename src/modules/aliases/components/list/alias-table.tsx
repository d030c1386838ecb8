'use client';

import { useState } from 'react';
import type { CursorHistory } from '@/components/data-table/cursor-history';
import { DataTable } from '@/components/data-table/data-table';
import { Pagination } from '@/components/data-table/pagination';
import type { Alias } from '../../schema';
import { aliasColumns } from './alias-columns';
import { PickedBar } from './picked-bar';
import type { useAliasActions } from './use-alias-actions';

type AliasTableProps = {
  list: {
    data: { items: Alias[]; pagination: { has_more: boolean; next_cursor: string } } | undefined;
    isPlaceholderData: boolean;
  };
  trail: CursorHistory;
  sort: { field: string; order: 'asc' | 'desc'; onSort: (field: string, order: 'asc' | 'desc') => void };
  actions: ReturnType<typeof useAliasActions>;
  onEdit: (alias: Alias) => void;
  onTrace: (alias: Alias) => void;
  onDelete: (aliases: Alias[]) => void;
};

const NONE: Alias[] = [];

export function AliasTable({ list, trail, sort, actions, onEdit, onTrace, onDelete }: AliasTableProps) {
  const [picked, setPicked] = useState<string[]>([]);
  const rows = list.data?.items;
  const chosen = (rows ?? NONE).filter(({ id }) => picked.includes(id));
  const selected = new Set(chosen.map(({ id }) => id));
  const selectAll = () => setPicked((rows ?? NONE).map(({ id }) => id));
  const clear = () => setPicked([]);

  return (
    <>
      {chosen.length > 0 && (
        <PickedBar
          count={chosen.length}
          isAll={chosen.length === rows?.length}
          onAll={selectAll}
          onClear={clear}
          onSwitch={(active) => {
            actions.switchTo(
              chosen.filter((alias) => actions.isOn(alias) !== active),
              active,
            );
            clear();
          }}
          onDelete={() => onDelete(chosen)}
        />
      )}
      <DataTable
        caption={`Aliases, by ${sort.field === 'created_at' ? 'date added' : 'address'}`}
        className="aliases"
        hideHeader={chosen.length > 0}
        columns={aliasColumns({
          rows: rows ?? NONE,
          selected,
          isOn: actions.isOn,
          onSelect: setPicked,
          onSwitch: (alias, active) => actions.switchTo([alias], active),
          onEdit,
          onTrace,
          onDelete: (alias) => onDelete([alias]),
        })}
        rows={rows}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/aliases?edit=${id}`}
        onOpen={onEdit}
        isSelected={({ id }) => selected.has(id)}
        isInactive={(alias) => !actions.isOn(alias)}
        isStale={list.isPlaceholderData}
        sort={sort}
      />
      <Pagination page={list.data} history={trail} />
    </>
  );
}

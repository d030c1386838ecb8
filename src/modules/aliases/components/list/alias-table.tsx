'use client';

import { type ReactNode, useState } from 'react';
import { type ListQuery, ListView } from '@/components/list/list-view';
import type { Alias } from '../../schema';
import { aliasColumns } from './alias-columns';
import classes from './alias-table.module.css';
import { SelectionBar } from './selection-bar';
import type { useAliasActions } from './use-alias-actions';
import type { AliasSearch } from './use-alias-search';

type AliasTableProps = {
  query: ListQuery<Alias>;
  search: AliasSearch;
  empty: ReactNode;
  actions: ReturnType<typeof useAliasActions>;
  onDelete: (aliases: Alias[]) => void;
};

export function AliasTable({ query, search, empty, actions, onDelete }: AliasTableProps) {
  const { values, open } = search;
  const [selectedIds, setSelectedIds] = useState<string[]>([]);
  const rows = query.data?.items.map(actions.latest) ?? [];
  const selectedAliases = rows.filter(({ id }) => selectedIds.includes(id));
  const selected = new Set(selectedAliases.map(({ id }) => id));
  const clear = () => setSelectedIds([]);
  const onEdit = ({ id }: Alias) => open({ edit: id });

  return (
    <>
      {selectedAliases.length > 0 && (
        <SelectionBar
          count={selectedAliases.length}
          isAll={selectedAliases.length === rows.length}
          onSelectAll={() => setSelectedIds(rows.map(({ id }) => id))}
          onClear={clear}
          onSetActive={(active) => {
            actions.setActive(
              selectedAliases.filter((alias) => alias.active !== active),
              active,
            );
            clear();
          }}
          onDelete={() => onDelete(selectedAliases)}
        />
      )}
      <ListView
        query={query}
        search={search}
        rows={rows}
        what="aliases"
        empty={empty}
        noMatches="No alias or destination matches these filters."
        caption={`Aliases, by ${values.sort === 'created_at' ? 'date added' : 'address'}`}
        className={classes.table}
        hideHeader={selectedAliases.length > 0}
        columns={aliasColumns({
          rows,
          selected,
          onSelect: setSelectedIds,
          onSetActive: (alias, active) => actions.setActive([alias], active),
          onEdit,
          onTrace: ({ address, source_local_part: source }) => open({ trace: source ? address : '' }),
          onDelete: (alias) => onDelete([alias]),
        })}
        rowKey={({ id }) => id}
        rowHref={({ id }) => `/aliases?edit=${id}`}
        onOpen={onEdit}
        isSelected={({ id }) => selected.has(id)}
        isInactive={({ active }) => !active}
      />
    </>
  );
}

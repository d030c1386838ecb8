'use client';

import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { byDomain } from '@/components/directory/by-domain';
import { ListView } from '@/components/list/list-view';
import type { ShownList } from '@/components/list/use-list';
import { SELECTABLE } from '@/components/selection/select-column';
import { SelectionBar } from '@/components/selection/selection-bar';
import { useSelection } from '@/components/selection/use-selection';
import type { Alias } from '../../schema';
import { aliasColumns } from './alias-columns';
import classes from './alias-table.module.css';
import type { useAliasActions } from './use-alias-actions';
import type { AliasSearch } from './use-alias-search';

type AliasTableProps = {
  list: ShownList<Alias>;
  search: AliasSearch;
  empty: ReactNode;
  actions: ReturnType<typeof useAliasActions>;
  onDelete: (aliases: Alias[]) => void;
};

export function AliasTable({ list, search, empty, actions, onDelete }: AliasTableProps) {
  const { values, open } = search;
  const latest = list.query.data?.items.map(actions.latest) ?? [];
  const rows = byDomain(latest, ({ address }) => address, search.sort);
  const selection = useSelection(rows, ({ id }) => id);
  const setActive = (active: boolean) => {
    actions.setActive(
      selection.rowsNow().filter((alias) => alias.active !== active),
      active,
    );
    selection.clear();
  };
  const onEdit = ({ id }: Alias) => open({ edit: id });

  return (
    <>
      <SelectionBar selection={selection} what="aliases">
        <Button size="xs" onClick={() => setActive(false)}>
          Deactivate
        </Button>
        <Button size="xs" onClick={() => setActive(true)}>
          Activate
        </Button>
        <Button size="xs" className="danger" onClick={() => onDelete(selection.rowsNow())}>
          Delete
        </Button>
      </SelectionBar>
      <ListView
        list={list}
        rows={rows}
        empty={empty}
        noMatches="No alias or destination matches these filters."
        caption={`Aliases, by ${values.sort === 'created_at' ? 'date added' : 'address'}`}
        className={`${SELECTABLE} ${classes.table}`}
        columns={aliasColumns({
          selection,
          onSetActive: (alias, active) => actions.setActive([alias], active),
          onEdit,
          onTrace: ({ address, source_local_part: source }) => open({ trace: source ? address : '' }),
          onHistory: ({ id }) => open({ history: id }),
          onDelete: (alias) => onDelete([alias]),
        })}
        rowHref={({ id }) => `/aliases?edit=${id}`}
        onOpen={onEdit}
        isSelected={selection.has}
        isInactive={({ active }) => !active}
      />
    </>
  );
}

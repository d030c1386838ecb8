'use client';

import { ImportExportMenu } from '@/components/list/import-export-menu';
import { ListTools } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { ACTIVE_CHOICES, ShowFilter } from '@/components/list/show-filter';
import type { ShownList } from '@/components/list/use-list';
import { Views } from '@/components/list/views/views';
import type { Alias } from '../../schema';
import type { AliasSearch } from './use-alias-search';

type AliasToolsProps = {
  list: ShownList<Alias>;
  search: AliasSearch;
  domain: { id: string; name: string } | undefined;
};

export function AliasTools({ list, search, domain }: AliasToolsProps) {
  const { open, isFiltered } = search;
  return (
    <ListTools
      list={list}
      actions={
        <>
          <Views page="aliases" />
          <ImportExportMenu
            list={{ ...list, input: { ...list.input, domain_id: domain?.id } }}
            onImport={() => open({ import: true })}
          >
            {isFiltered ? 'Export shown' : 'Export'}
            {domain ? (
              <>
                {isFiltered && ' in'} <span className="mono">{domain.name}</span>
              </>
            ) : (
              ' as CSV'
            )}
          </ImportExportMenu>
        </>
      }
    >
      <SearchInput search={search} label="Filter by address or destination" placeholder="Address or destination" />
      <ShowFilter search={search} choices={ACTIVE_CHOICES} />
    </ListTools>
  );
}

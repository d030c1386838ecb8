'use client';

import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconTableImport } from '@/components/icons/icons';
import { ExportItem } from '@/components/list/export-csv';
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

const ICON = { size: 16, stroke: 1.5 } as const;

export function AliasTools({ list, search, domain }: AliasToolsProps) {
  const { open, isFiltered } = search;
  return (
    <ListTools
      list={list}
      actions={
        <>
          <Views page="aliases" />
          <Menu width={264}>
            <Menu.Target>
              <Button rightSection={<IconChevronDown stroke={1.5} />}>Import / export</Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item leftSection={<IconTableImport {...ICON} />} onClick={() => open({ import: true })}>
                Import CSV
              </Menu.Item>
              <ExportItem list={{ ...list, input: { ...list.input, domain_id: domain?.id } }}>
                {isFiltered ? 'Export shown' : 'Export'}
                {domain ? (
                  <>
                    {isFiltered && ' in'} <span className="mono">{domain.name}</span>
                  </>
                ) : (
                  ' as CSV'
                )}
              </ExportItem>
            </Menu.Dropdown>
          </Menu>
        </>
      }
    >
      <SearchInput search={search} label="Filter by address or destination" placeholder="Address or destination" />
      <ShowFilter search={search} choices={ACTIVE_CHOICES} narrow="line" />
    </ListTools>
  );
}

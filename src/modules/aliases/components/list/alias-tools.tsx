'use client';

import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconTableImport } from '@/components/icons/icons';
import { SHOWN_LABELS } from '@/components/list/active-filter';
import { ExportItem, type ListExport } from '@/components/list/export-csv';
import { ListTools, type ListToolsProps } from '@/components/list/list-view';
import { SearchInput } from '@/components/list/search-input';
import { Views } from '@/components/list/views/views';
import { SegmentedControl } from '@/components/segmented-control';
import type { AliasSearch } from './use-alias-search';

type AliasToolsProps = {
  query: ListToolsProps['query'];
  search: AliasSearch;
  /** The list's input. */
  input: ListExport['input'];
  domain: { id: string; name: string } | undefined;
};

const ICON = { size: 16, stroke: 1.5 } as const;

export function AliasTools({ query, search, input, domain }: AliasToolsProps) {
  const { values, change, open, isFiltered } = search;
  return (
    <ListTools
      query={query}
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
              <ExportItem path="/aliases/export" input={{ ...input, domain_id: domain?.id }} what="aliases">
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
      <SearchInput
        label="Filter by address or destination"
        placeholder="Address or destination"
        w={240}
        value={values.q}
        onChange={(q) => change({ q })}
      />
      <SegmentedControl
        label="Status"
        value={values.show}
        options={SHOWN_LABELS}
        narrow="line"
        onChange={(show) => change({ show })}
      />
    </ListTools>
  );
}

'use client';

import { Button, Group, Menu, TextInput } from '@mantine/core';
import { IconChevronDown, IconDownload, IconSearch, IconTableImport } from '@tabler/icons-react';
import { SegmentedControl } from '@/components/segmented-control';
import type { AliasFilters } from './use-alias-filters';

type AliasToolsProps = Pick<AliasFilters, 'filters' | 'change' | 'open'> & {
  domain: { id: string; name: string } | undefined;
};

const ICON = { size: 16, stroke: 1.5 } as const;

export function AliasTools({ filters, change, open, domain }: AliasToolsProps) {
  return (
    <Group py="md">
      <TextInput
        aria-label="Filter by address or destination"
        placeholder="Address or destination"
        leftSection={<IconSearch {...ICON} />}
        w={240}
        className="grow-small"
        value={filters.q}
        onChange={(event) => change({ q: event.currentTarget.value || null })}
      />
      <SegmentedControl
        label="Status"
        value={filters.show}
        options={{ all: 'All', active: 'Active', inactive: 'Inactive' }}
        onChange={(show) => change({ show })}
      />
      <span className="spacer only-wide" />
      <Menu width={264}>
        <Menu.Target>
          <Button rightSection={<IconChevronDown stroke={1.5} />}>Import / export</Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item leftSection={<IconTableImport {...ICON} />} onClick={() => open({ import: true })}>
            Import CSV
          </Menu.Item>
          {domain ? (
            <Menu.Item
              component="a"
              href={`/api/v1/aliases/export?domain_id=${domain.id}`}
              download
              leftSection={<IconDownload {...ICON} />}
            >
              Export <span className="mono">{domain.name}</span>
            </Menu.Item>
          ) : (
            <Menu.Label>Choose a domain at the top to export</Menu.Label>
          )}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

'use client';

import { Button, Menu } from '@mantine/core';
import type { ReactNode } from 'react';
import { IconChevronDown, IconTableImport } from '../icons/icons';
import { ExportItem, type ExportProps } from './export-csv';

/** @param children what the export has */
export function ImportExportMenu({
  list,
  onImport,
  children,
}: ExportProps & { onImport: () => void; children: ReactNode }) {
  return (
    <Menu width={264}>
      <Menu.Target>
        <Button leftSection={<IconTableImport stroke={1.5} />} rightSection={<IconChevronDown stroke={1.5} />}>
          Import / export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconTableImport size={16} stroke={1.5} />} onClick={onImport}>
          Import CSV
        </Menu.Item>
        <ExportItem list={list}>{children}</ExportItem>
      </Menu.Dropdown>
    </Menu>
  );
}

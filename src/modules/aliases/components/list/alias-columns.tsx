import { ActionIcon, Checkbox, Menu } from '@mantine/core';
import { IconDots, IconPencil, IconRoute, IconTrash } from '@tabler/icons-react';
import type { MouseEvent } from 'react';
import { Cell, RowLink } from '@/components/data-table/cells';
import { activeColumn } from '@/components/data-table/columns';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { Badge } from '@/components/text/badge';
import { EmailAddress } from '@/components/values/email-address';
import { formatDate } from '@/lib/format';
import type { Alias } from '../../schema';
import { shadowWarning } from '../edit/alias-values';
import { DestinationsCell } from './destinations-cell';
import { WarningMark } from './warning-mark';

type AliasColumnsOptions = {
  rows: Alias[];
  selected: ReadonlySet<string>;
  onSelect: (ids: string[]) => void;
  onSetActive: (alias: Alias, active: boolean) => void;
  onEdit: (alias: Alias) => void;
  onTrace: (alias: Alias) => void;
  onDelete: (alias: Alias) => void;
};

const ICON = { size: 16, stroke: 1.5 } as const;

export function aliasColumns(options: AliasColumnsOptions): DataTableColumn<Alias>[] {
  const { rows, selected, onSelect, onSetActive, onEdit } = options;
  const isAll = rows.length > 0 && selected.size === rows.length;
  const toggle = (id: string) =>
    onSelect(selected.has(id) ? [...selected].filter((other) => other !== id) : [...selected, id]);
  return [
    {
      key: 'select',
      header: selected.size === 0 && (
        <Checkbox
          aria-label="Select all on this page"
          checked={isAll}
          disabled={rows.length === 0}
          onChange={() => onSelect(rows.map(({ id }) => id))}
        />
      ),
      width: 40,
      kind: 'mark',
      mobile: 'mark',
      skeletonWidth: 16,
      cell: ({ id, address }) => (
        <Checkbox aria-label={`Select ${address}`} checked={selected.has(id)} onChange={() => toggle(id)} />
      ),
    },
    {
      key: 'address',
      header: 'Address',
      mobile: 'lead',
      sortBy: 'source_local_part',
      skeletonWidth: 200,
      cell: (alias) => (
        <Cell>
          <RowLink
            prefetch={false}
            aria-label={alias.address}
            data-row={alias.id}
            href={`/aliases?edit=${alias.id}`}
            onClick={(event: MouseEvent) => {
              if (event.metaKey || event.ctrlKey || event.shiftKey) return;
              event.preventDefault();
              onEdit(alias);
            }}
          >
            <EmailAddress value={alias.address} />
          </RowLink>
          {alias.source_local_part === '' && <Badge>Catch-all</Badge>}
          <ShadowedMark alias={alias} />
        </Cell>
      ),
    },
    {
      key: 'destinations',
      header: 'Delivers to',
      mobile: 'under',
      skeletonWidth: 200,
      cell: (alias) => <DestinationsCell alias={alias} />,
    },
    activeColumn({ nameOf: ({ address }) => address, onChange: onSetActive, mobile: 'side' }),
    {
      key: 'added',
      header: 'Added',
      width: 112,
      kind: 'figure',
      sortBy: 'created_at',
      skeletonWidth: 64,
      className: 'soft',
      cell: ({ created_at }) => formatDate(created_at),
    },
    {
      key: 'actions',
      header: <span className="sr-only">Actions</span>,
      width: 44,
      kind: 'tail',
      mobile: 'tail',
      cell: (alias) => <ActionsMenu alias={alias} {...options} />,
    },
  ];
}

function ShadowedMark({ alias }: { alias: Alias }) {
  const warning = shadowWarning(alias);
  return warning && <WarningMark title={warning.message}>Shadowed</WarningMark>;
}

type ActionsMenuProps = Pick<AliasColumnsOptions, 'onEdit' | 'onTrace' | 'onDelete'> & { alias: Alias };

function ActionsMenu({ alias, onEdit, onTrace, onDelete }: ActionsMenuProps) {
  return (
    <Menu>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${alias.address}`}>
          <IconDots {...ICON} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil {...ICON} />} onClick={() => onEdit(alias)}>
          Edit destinations
        </Menu.Item>
        <Menu.Item leftSection={<IconRoute {...ICON} />} onClick={() => onTrace(alias)}>
          Trace address
        </Menu.Item>
        <Menu.Item className="danger" leftSection={<IconTrash {...ICON} />} onClick={() => onDelete(alias)}>
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

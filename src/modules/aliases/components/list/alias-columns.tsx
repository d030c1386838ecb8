import { Menu } from '@mantine/core';
import type { MouseEvent } from 'react';
import { Cell, Copyable, RowLink } from '@/components/data-table/cells';
import { activeColumn, addedColumn } from '@/components/data-table/columns';
import type { ListColumn } from '@/components/data-table/data-table';
import { DestinationsCell } from '@/components/directory/destinations/destinations-cell';
import { WarningMark } from '@/components/directory/destinations/warning-mark';
import { IconHistory, IconPencil, IconRoute, IconTrash } from '@/components/icons/icons';
import { RowMenu } from '@/components/row-controls/row-menu';
import { selectColumn } from '@/components/selection/select-column';
import type { Selection } from '@/components/selection/use-selection';
import { Badge } from '@/components/text/badge';
import { EmailAddress } from '@/components/values/email-address';
import type { aliasList } from '../../lists';
import type { Alias } from '../../schema';
import { shadowWarning } from '../edit/alias-values';

type AliasColumnsOptions = {
  selection: Selection<Alias>;
  onSetActive: (alias: Alias, active: boolean) => void;
  onEdit: (alias: Alias) => void;
  onTrace: (alias: Alias) => void;
  onHistory: (alias: Alias) => void;
  onDelete: (alias: Alias) => void;
};

const ICON = { size: 16, stroke: 1.5 } as const;

export function aliasColumns(options: AliasColumnsOptions): ListColumn<Alias, typeof aliasList>[] {
  const { selection, onSetActive, onEdit } = options;
  return [
    selectColumn({ selection, nameOf: ({ address }) => address, mobile: 'mark' }),
    {
      header: 'Address',
      kind: 'copyable',
      mobile: 'lead',
      sortBy: 'source_local_part',
      sortNote: 'by the part before @',
      skeletonWidth: 200,
      cell: (alias) => (
        <Copyable value={alias.address} what="address">
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
        </Copyable>
      ),
    },
    {
      header: 'Delivers to',
      mobile: 'under',
      skeletonWidth: 200,
      cell: (alias) => <DestinationsCell alias={alias} />,
    },
    activeColumn({ nameOf: ({ address }) => address, onChange: onSetActive, mobile: 'side' }),
    addedColumn(),
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

type ActionsMenuProps = Pick<AliasColumnsOptions, 'onEdit' | 'onTrace' | 'onHistory' | 'onDelete'> & { alias: Alias };

function ActionsMenu({ alias, onEdit, onTrace, onHistory, onDelete }: ActionsMenuProps) {
  return (
    <RowMenu label={`Actions for ${alias.address}`}>
      <Menu.Item leftSection={<IconPencil {...ICON} />} onClick={() => onEdit(alias)}>
        Edit destinations
      </Menu.Item>
      <Menu.Item leftSection={<IconRoute {...ICON} />} onClick={() => onTrace(alias)}>
        Trace address
      </Menu.Item>
      <Menu.Item leftSection={<IconHistory {...ICON} />} onClick={() => onHistory(alias)}>
        History
      </Menu.Item>
      <Menu.Item className="danger" leftSection={<IconTrash {...ICON} />} onClick={() => onDelete(alias)}>
        Delete
      </Menu.Item>
    </RowMenu>
  );
}

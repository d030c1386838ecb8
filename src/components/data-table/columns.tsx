import { ActionIcon } from '@mantine/core';
import { IconChevronDown, IconChevronUp } from '../icons/icons';
import { RowSwitch } from '../row-controls/row-controls';
import { CalendarDate } from '../values/calendar-date';
import type { DataTableColumn } from './data-table';

type ActiveColumnProps<Row> = {
  nameOf: (row: Row) => string;
  onChange: (row: Row, isActive: boolean) => void;
  mobile?: DataTableColumn<Row>['mobile'];
};

/** A switch that activates or deactivates the row's item in place. */
export function activeColumn<Row extends { active: boolean }>({
  nameOf,
  onChange,
  mobile = 'tail',
}: ActiveColumnProps<Row>): DataTableColumn<Row> {
  return {
    header: 'Active',
    width: 64,
    kind: 'control',
    mobile,
    skeletonWidth: 28,
    cell: (row) => (
      <RowSwitch
        label={`${nameOf(row)} is active`}
        checked={row.active}
        onChange={(isActive) => onChange(row, isActive)}
      />
    ),
  };
}

export function updatedColumn<Row extends { updated_at: string }>(): DataTableColumn<Row> {
  return {
    header: 'Changed',
    width: 88,
    kind: 'figure',
    isOptional: true,
    skeletonWidth: 48,
    className: 'soft',
    cell: ({ updated_at }) => <CalendarDate iso={updated_at} />,
  };
}

export function addedColumn<Row extends { created_at?: string }>(): DataTableColumn<Row, 'created_at'> {
  return {
    header: 'Added',
    width: 112,
    kind: 'figure',
    sortBy: 'created_at',
    skeletonWidth: 64,
    className: 'soft',
    cell: ({ created_at }) => created_at && <CalendarDate iso={created_at} />,
  };
}

type DetailsColumnProps<Row> = {
  /** The name of the button. */
  labelOf: (row: Row) => string;
  isOpen: (row: Row) => boolean;
  onToggle: (row: Row) => void;
};

/** A button that shows or hides the details of a row. */
export function detailsColumn<Row>({ labelOf, isOpen, onToggle }: DetailsColumnProps<Row>): DataTableColumn<Row> {
  return {
    key: 'details',
    header: <span className="sr-only">Details</span>,
    width: 36,
    kind: 'tail',
    mobile: 'tail',
    cell: (row) => {
      const Chevron = isOpen(row) ? IconChevronUp : IconChevronDown;
      return (
        <ActionIcon aria-label={labelOf(row)} aria-expanded={isOpen(row)} onClick={() => onToggle(row)}>
          <Chevron size={16} stroke={1.5} />
        </ActionIcon>
      );
    },
  };
}

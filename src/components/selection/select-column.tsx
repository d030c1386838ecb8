import type { DataTableColumn } from '../data-table/data-table';
import { RowCheckbox } from '../row-controls/row-controls';
import classes from './selection.module.css';
import type { Selection } from './use-selection';

/** For tables whose rows can be selected. */
export const SELECTABLE = classes.selectable as string;

type SelectColumnProps<Row> = {
  selection: Selection<Row>;
  nameOf: (row: Row) => string;
  mobile?: DataTableColumn<Row>['mobile'];
};

/** Checkboxes that select rows, and one in the header for all of them. */
export function selectColumn<Row>({
  selection,
  nameOf,
  mobile = 'none',
}: SelectColumnProps<Row>): DataTableColumn<Row> {
  return {
    key: 'select',
    header: (
      <RowCheckbox
        label="Select all on this page"
        checked={selection.isAll}
        isMixed={selection.rows.length > 0 && !selection.isAll}
        disabled={selection.isEmpty}
        onChange={selection.toggleAll}
      />
    ),
    width: 40,
    kind: 'mark',
    mobile,
    skeletonWidth: 16,
    cell: (row) => (
      <RowCheckbox
        label={`Select ${nameOf(row)}`}
        checked={selection.has(row)}
        onChange={(isExtended) => selection.toggle(row, isExtended)}
      />
    ),
  };
}

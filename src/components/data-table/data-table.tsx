'use client';

import { useRouter } from 'next/navigation';
import { Fragment, type MouseEvent, type ReactNode, useDeferredValue, useRef } from 'react';
import type { Sorted, SortOf } from '@/lib/lists';
import { useIsRunning } from '../document/use-is-running';
import { Skeleton } from '../marks/skeleton';
import classes from './data-table.module.css';
import { useFocusReturn } from './use-focus-return';
import { ExpandedRow, GroupRow } from './wide-rows';

type SortOrder = 'asc' | 'desc';
type TableSort = {
  field: string;
  /** Whether it was chosen, rather than being how the rows are sorted otherwise. */
  isChosen?: boolean;
  order: SortOrder;
  onSort: (field: string, order: SortOrder) => void;
};

/** A column of a list that can be sorted, such as `ListColumn<Alias, typeof aliasList>`. */
export type ListColumn<Row, List extends Sorted> = DataTableColumn<Row, SortOf<List>>;

/** @template Sort the fields that it can sort by; by default none */
export type DataTableColumn<Row, Sort extends string = never> = {
  /** Identifies the column; by default, its header. */
  key?: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  width?: number;
  /** Width in a table of 1664 px, as wide as on a screen of 1920 px. It grows evenly from `width` at 1024 px. */
  maxWidth?: number;
  /** `copyable` leaves room for the button of Copyable. */
  kind?: 'mark' | 'figure' | 'control' | 'tail' | 'copyable';
  /** Where it is on a phone: `side` is at the end of the line of `lead`, `under-side` at that of `under`, for long leads. */
  mobile?: 'mark' | 'lead' | 'side' | 'under' | 'under-side' | 'tail' | 'none';
  isOptional?: boolean;
  className?: string;
  sortBy?: Sort;
  /** Names the part of the column that the rows are sorted by, if it isn't all of it. */
  sortNote?: string;
  /** The order of the first click on the header. */
  firstOrder?: SortOrder;
  skeletonWidth?: number;
};

export type DataTableProps<Row, Sort extends string = string> = {
  caption: string;
  columns: DataTableColumn<Row, Sort>[];
  rows: Row[] | undefined;
  /** By default, its `id`. */
  rowKey?: (row: Row) => string;
  rowHref?: (row: Row) => string;
  onOpen?: (row: Row) => void;
  isSelected?: (row: Row) => boolean;
  isInactive?: (row: Row) => boolean;
  /** The head above the row and those after it that have the same. */
  groupOf?: (row: Row) => string;
  /** Content below an expanded row; null if the row is collapsed. */
  expanded?: (row: Row) => ReactNode;
  isStale?: boolean;
  sort?: TableSort;
  skeletonRows?: number;
  hideHeader?: boolean;
  /** Less space between columns. */
  isDense?: boolean;
  /** Keeps the header in view while the page scrolls. */
  hasStickyHeader?: boolean;
  className?: string;
};

export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    caption,
    columns,
    rowKey = idOf,
    rowHref,
    onOpen,
    isSelected,
    isInactive,
    groupOf,
    expanded,
    isStale,
    sort,
    skeletonRows = 10,
    hideHeader,
    hasStickyHeader,
  } = props;
  const router = useRouter();
  const table = useRef<HTMLTableElement>(null);
  useFocusReturn(table);
  const rows = useFirstRows(props.rows);
  const missingRows = (props.rows?.length ?? 0) - (rows?.length ?? 0);
  const className = [classes.table, props.className, props.isDense && classes.dense, isStale && classes.stale]
    .filter(Boolean)
    .join(' ');

  const openRow = (event: MouseEvent<HTMLTableRowElement>, row: Row, href: string | undefined) => {
    if (event.defaultPrevented || isOwnControl(event.target) || window.getSelection()?.toString()) return;
    if (href && (event.metaKey || event.ctrlKey)) window.open(href, '_blank', 'noopener');
    else if (onOpen) onOpen(row);
    else if (href) router.push(href);
  };

  return (
    <div className={classes.frame}>
      <table ref={table} className={className} aria-busy={rows === undefined || isStale || undefined}>
        <caption className="sr-only">{rows === undefined ? `${caption}, loading` : caption}</caption>
        <colgroup>
          {columns.map((column) => (
            <col
              key={keyOf(column)}
              data-optional={column.isOptional || undefined}
              style={{ width: columnWidth(column) }}
            />
          ))}
        </colgroup>
        <thead className={hideHeader ? 'sr-only' : hasStickyHeader ? classes.sticky : undefined}>
          <tr>
            {columns.map((column) => (
              <HeaderCell key={keyOf(column)} column={column} sort={sort} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows === undefined && groupOf && (
            <GroupRow columns={columns}>
              <Skeleton width={120} />
            </GroupRow>
          )}
          {rows === undefined
            ? Array.from({ length: skeletonRows }, (_, index) => (
                <SkeletonRow key={skeletonKey(index)} columns={columns} index={index} />
              ))
            : rows.map((row, index) => {
                const previous = rows[index - 1];
                const group = groupOf?.(row);
                const href = rowHref?.(row);
                const opens = href !== undefined || onOpen !== undefined;
                const below = expanded?.(row) ?? null;
                return (
                  <Fragment key={rowKey(row)}>
                    {group !== undefined && (!previous || groupOf?.(previous) !== group) && (
                      <GroupRow columns={columns}>{group}</GroupRow>
                    )}
                    <tr
                      data-selected={isSelected?.(row) || undefined}
                      aria-current={isSelected?.(row) || undefined}
                      data-inactive={isInactive?.(row) || undefined}
                      data-link={opens || undefined}
                      data-open={below !== null || undefined}
                      onClick={opens ? (event) => openRow(event, row, href) : undefined}
                    >
                      {columns.map((column) => (
                        <td key={keyOf(column)} {...cellAttributes(column, sort)} className={column.className}>
                          {column.cell(row)}
                        </td>
                      ))}
                    </tr>
                    {below !== null && <ExpandedRow columns={columns}>{below}</ExpandedRow>}
                  </Fragment>
                );
              })}
        </tbody>
      </table>
      {missingRows > 0 && <div style={{ height: `calc(var(--row) * ${missingRows})` }} />}
    </div>
  );
}

/** A page that comes from the server begins with the rows in view, and adds the others once it runs. */
function useFirstRows<Row>(rows: Row[] | undefined): Row[] | undefined {
  const isRunning = useDeferredValue(useIsRunning());
  return isRunning ? rows : rows?.slice(0, FIRST_ROWS);
}

/** 28 rows of 36 px are 1,008 px: more than most windows show. */
const FIRST_ROWS = 28;

const NARROW = 1024;
const WIDE = 1664;

function columnWidth<Row>({ width, maxWidth }: DataTableColumn<Row, string>): string | number | undefined {
  if (width === undefined || maxWidth === undefined) return width;
  const grown = `${width}px + (100cqi - ${NARROW}px) * ${(maxWidth - width) / (WIDE - NARROW)}`;
  return `clamp(${width}px, ${grown}, ${maxWidth}px)`;
}

type HeaderCellProps<Row> = { column: DataTableColumn<Row, string>; sort: TableSort | undefined };

function HeaderCell<Row>({ column, sort }: HeaderCellProps<Row>) {
  const { sortBy, sortNote, firstOrder = 'asc' } = column;
  const isSpare = column.isOptional || undefined;
  if (!sort || !sortBy) {
    return (
      <th data-kind={column.kind} data-optional={isSpare}>
        {column.header}
      </th>
    );
  }
  const isSorted = sort.field === sortBy;
  const next = isSorted ? OPPOSITE[sort.order] : firstOrder;
  const ariaSort = sort.order === 'asc' ? 'ascending' : 'descending';
  return (
    <th data-kind={column.kind} data-optional={isSpare} aria-sort={isSorted ? ariaSort : undefined}>
      <button type="button" className={classes.sort} onClick={() => sort.onSort(sortBy, next)}>
        {column.header}
        {isSorted && <span aria-hidden="true">{sort.order === 'asc' ? '↑' : '↓'}</span>}
      </button>
      {isSorted && sortNote && <small className={classes.sortNote}>{sortNote}</small>}
    </th>
  );
}

const OPPOSITE = { asc: 'desc', desc: 'asc' } as const;

type SkeletonRowProps<Row> = { columns: DataTableColumn<Row, string>[]; index: number };

function SkeletonRow<Row>({ columns, index }: SkeletonRowProps<Row>) {
  return (
    <tr>
      {columns.map((column) => (
        <td key={keyOf(column)} {...cellAttributes(column)}>
          {column.kind !== 'tail' && <Skeleton width={(column.skeletonWidth ?? 72) - ((index * 13) % 5) * 4} />}
        </td>
      ))}
    </tr>
  );
}

function idOf(row: unknown): string {
  const { id } = row as { id?: unknown };
  if (typeof id !== 'string') throw new Error('a table of rows without an id needs rowKey');
  return id;
}

function keyOf<Row>({ key, header }: DataTableColumn<Row, string>): string {
  return key ?? String(header);
}

/** On a narrow screen, what the rows are sorted by is shown though there is no room for its column otherwise. */
function cellAttributes<Row>({ kind, mobile, isOptional, sortBy }: DataTableColumn<Row, string>, sort?: TableSort) {
  const place = mobile ?? (sort?.isChosen && sort.field === sortBy ? 'sorted' : 'none');
  return { 'data-kind': kind, 'data-mobile': place, 'data-optional': isOptional || undefined };
}

function skeletonKey(index: number): string {
  return `skeleton-${index}`;
}

function isOwnControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, button, input, label, [role="menu"]') !== null;
}

'use client';

import { useRouter } from 'next/navigation';
import { Fragment, type MouseEvent, type ReactNode } from 'react';
import { OpenedRow } from './opened-row';

type LedgerOrder = 'asc' | 'desc';
type LedgerSort = { field: string; order: LedgerOrder; onSort: (field: string, order: LedgerOrder) => void };

export type LedgerColumn<Row> = {
  key: string;
  header: ReactNode;
  cell: (row: Row) => ReactNode;
  width?: number;
  kind?: 'mark' | 'figure' | 'control' | 'tail';
  fold?: 'mark' | 'lead' | 'side' | 'under' | 'tail' | 'none';
  isSpare?: boolean;
  className?: string;
  sortBy?: string;
  bone?: number;
};

type LedgerProps<Row> = {
  caption: string;
  columns: LedgerColumn<Row>[];
  rows: Row[] | undefined;
  rowKey: (row: Row) => string;
  rowHref?: (row: Row) => string;
  onOpen?: (row: Row) => void;
  isPicked?: (row: Row) => boolean;
  isOff?: (row: Row) => boolean;
  /** What stands below a row that is open in its place; null where it is not. */
  opened?: (row: Row) => ReactNode;
  isStale?: boolean;
  sort?: LedgerSort;
  bones?: number;
  headless?: boolean;
  className?: string;
};

export function Ledger<Row>(props: LedgerProps<Row>) {
  const {
    caption,
    columns,
    rows,
    rowKey,
    rowHref,
    onOpen,
    isPicked,
    isOff,
    opened,
    isStale,
    sort,
    bones = 10,
    headless,
  } = props;
  const router = useRouter();
  const classes = ['ledger', props.className, isStale && 'ledger-stale'].filter(Boolean).join(' ');

  const go = (event: MouseEvent<HTMLTableRowElement>, row: Row, href: string) => {
    if (event.defaultPrevented || isOwnControl(event.target) || window.getSelection()?.toString()) return;
    if (event.metaKey || event.ctrlKey) window.open(href, '_blank', 'noopener');
    else if (onOpen) onOpen(row);
    else router.push(href);
  };

  return (
    <table className={classes} aria-busy={rows === undefined || isStale || undefined}>
      <caption className="sr-only">{rows === undefined ? `${caption}, loading` : caption}</caption>
      <colgroup>
        {columns.map((column) => (
          <col
            key={column.key}
            data-spare={column.isSpare || undefined}
            style={column.width ? { width: column.width } : undefined}
          />
        ))}
      </colgroup>
      <thead className={headless ? 'sr-only' : undefined}>
        <tr>
          {columns.map((column) => (
            <Head key={column.key} column={column} sort={sort} />
          ))}
        </tr>
      </thead>
      <tbody>
        {rows === undefined
          ? Array.from({ length: bones }, (_, index) => (
              <BoneRow key={boneKey(index)} columns={columns} index={index} />
            ))
          : rows.map((row) => {
              const href = rowHref?.(row);
              const below = opened?.(row) ?? null;
              return (
                <Fragment key={rowKey(row)}>
                  <tr
                    data-picked={isPicked?.(row) || undefined}
                    data-off={isOff?.(row) || undefined}
                    data-go={href ? true : undefined}
                    data-open={below !== null || undefined}
                    onClick={href ? (event) => go(event, row, href) : undefined}
                  >
                    {columns.map((column) => (
                      <td
                        key={column.key}
                        data-kind={column.kind}
                        data-fold={column.fold ?? 'none'}
                        data-spare={column.isSpare || undefined}
                        className={column.className}
                      >
                        {column.cell(row)}
                      </td>
                    ))}
                  </tr>
                  {below !== null && <OpenedRow columns={columns}>{below}</OpenedRow>}
                </Fragment>
              );
            })}
      </tbody>
    </table>
  );
}

type HeadProps<Row> = { column: LedgerColumn<Row>; sort: LedgerSort | undefined };

function Head<Row>({ column, sort }: HeadProps<Row>) {
  const { sortBy } = column;
  const isSpare = column.isSpare || undefined;
  if (!sort || !sortBy) {
    return (
      <th data-kind={column.kind} data-spare={isSpare}>
        {column.header}
      </th>
    );
  }
  const isSorted = sort.field === sortBy;
  const next: LedgerOrder = isSorted && sort.order === 'desc' ? 'asc' : 'desc';
  const ariaSort = sort.order === 'asc' ? 'ascending' : 'descending';
  return (
    <th data-kind={column.kind} data-spare={isSpare} aria-sort={isSorted ? ariaSort : undefined}>
      <button type="button" className="sorter" onClick={() => sort.onSort(sortBy, isSorted ? next : 'asc')}>
        {column.header}
        <span aria-hidden="true">{isSorted ? (sort.order === 'asc' ? '↑' : '↓') : ''}</span>
      </button>
    </th>
  );
}

type BoneRowProps<Row> = { columns: LedgerColumn<Row>[]; index: number };

function BoneRow<Row>({ columns, index }: BoneRowProps<Row>) {
  return (
    <tr>
      {columns.map((column) => (
        <td
          key={column.key}
          data-kind={column.kind}
          data-fold={column.fold ?? 'none'}
          data-spare={column.isSpare || undefined}
        >
          {column.kind !== 'tail' && (
            <span className="bone" style={{ width: (column.bone ?? 72) - ((index * 13) % 5) * 4 }} />
          )}
        </td>
      ))}
    </tr>
  );
}

function boneKey(index: number): string {
  return `bone-${index}`;
}

function isOwnControl(target: EventTarget): boolean {
  return target instanceof Element && target.closest('a, button, input, label, [role="menu"]') !== null;
}

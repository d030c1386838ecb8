'use client';

import { Button, Group, type GroupProps } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Sorted } from '@/lib/lists';
import { type Problem, toProblem } from '../api/problem';
import { DataTable, type DataTableProps } from '../data-table/data-table';
import { Pagination, type PaginationProps } from '../data-table/pagination';
import { EmptyState, ErrorState } from '../data-table/states';
import { StatusMark } from '../marks/status-mark';
import { ExportButton } from './export-csv';
import classes from './list-view.module.css';
import type { ShownList } from './use-list';
import { TOOLS, useToolsHeight } from './use-tools-height';
import { Views } from './views/views';

type ListViewProps<Row, Sort extends string> = Omit<DataTableProps<Row, NoInfer<Sort>>, 'rows' | 'isStale' | 'sort'> & {
  list: Pick<ShownList<Row>, 'what' | 'query' | 'search' | 'total'> & Partial<Sorted<Sort>>;
  /** Shown if there is nothing to list. */
  empty?: ReactNode;
  /** Says what the filters compare, if nothing matches. */
  noMatches?: ReactNode;
  /** The query's rows as they are shown: ordered, or with changes that aren't saved yet. */
  rows?: Row[];
  pageLabels?: PaginationProps['labels'];
  groupedRows?: PaginationProps['groupedRows'];
  /** Instead of the pagination. */
  footer?: ReactNode;
};

/** A list in whatever state it is: loading, failed, empty, without matches, or a page of rows. */
export function ListView<Row, Sort extends string = never>({
  list: { what, query, search, total },
  empty,
  noMatches,
  pageLabels,
  groupedRows,
  footer,
  ...table
}: ListViewProps<Row, Sort>) {
  const { data, isError, error, isPlaceholderData, refetch } = query;
  // The page before, while another one loads. If it was empty, it says nothing about the next.
  const isLoading = !data || (isPlaceholderData && data.items.length === 0);
  const rows = isLoading ? undefined : (table.rows ?? data.items);

  if (isError && !rows) {
    return (
      <ErrorState what={what} error={error} onRetry={() => void refetch()}>
        {search && (search.isFiltered || !search.history.isFirst) && <ClearFilters onClick={search.clear} />}
      </ErrorState>
    );
  }
  const pagination = search && (
    <Pagination
      page={rows && data}
      history={search.history}
      total={total}
      labels={pageLabels}
      groupedRows={groupedRows}
    />
  );
  if (rows?.length === 0 && data?.pagination.has_more) {
    return (
      <>
        <EmptyState title={`No matching ${what} so far`}>
          <p>This page searched only part of the list. Go to the next page to search further.</p>
        </EmptyState>
        {pagination}
      </>
    );
  }
  if (rows?.length === 0 && search?.history.isFirst !== false) {
    if (!search?.isFiltered) return empty;
    return (
      <EmptyState title={`No matching ${what}`}>
        <p>{noMatches}</p>
        <Group pt="md">
          <ClearFilters onClick={search.clear} />
        </Group>
      </EmptyState>
    );
  }
  return (
    <>
      <DataTable {...table} hasStickyHeader rows={rows} isStale={isPlaceholderData} sort={search?.sort} />
      {footer === undefined ? pagination : footer}
    </>
  );
}

type ListToolsProps<Row> = Pick<GroupProps, 'align' | 'className'> & {
  list: ShownList<Row>;
  /** Adds "Clear filters", for lists with filters that are not all visible. */
  hasClear?: boolean;
  /** At the end of the row. By default, saved views and the export. */
  actions?: ReactNode;
  children: ReactNode;
};

/** The filters above a list. Says if its last refresh failed. */
export function ListTools<Row>({ list, hasClear, actions, children, ...layout }: ListToolsProps<Row>) {
  const { query, search, views } = list;
  const ref = useToolsHeight();
  return (
    <Group
      ref={ref}
      {...TOOLS}
      py="md"
      {...layout}
      className={[classes.tools, layout.className].filter(Boolean).join(' ')}
    >
      {children}
      {hasClear && search?.isFiltered && (
        <ClearFilters className="only-wide" variant="subtle" color="gray" onClick={search.clear} />
      )}
      {query.error !== null && query.data && (
        <StatusMark status="warning">Not up to date: {reasonOf(toProblem(query.error))}</StatusMark>
      )}
      <Group className={`spacer ${classes.actions}`}>
        {actions ?? (
          <>
            {views && <Views page={views} />}
            <ExportButton list={list} />
          </>
        )}
      </Group>
    </Group>
  );
}

function reasonOf({ code }: Problem): string {
  if (code === 'MAIL_STACK_UNAVAILABLE') return 'the mail server isn’t responding';
  return code === 'NO_RESPONSE' ? 'the server isn’t responding' : 'the last refresh failed';
}

type ClearFiltersProps = { onClick: () => void; className?: string; variant?: string; color?: string };

function ClearFilters(props: ClearFiltersProps) {
  return <Button {...props}>Clear filters</Button>;
}

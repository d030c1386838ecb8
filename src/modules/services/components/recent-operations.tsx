'use client';

import { trpc } from '@/components/api/trpc';
import { Clipped } from '@/components/data-table/cells';
import type { DataTableColumn } from '@/components/data-table/data-table';
import { NoRows } from '@/components/data-table/states';
import { SectionHeading } from '@/components/layout/section-heading';
import { ExportButton } from '@/components/list/export-csv';
import { ListView } from '@/components/list/list-view';
import { useList } from '@/components/list/use-list';
import type { ListSearch } from '@/components/list/use-list-search';
import { StatusMark } from '@/components/marks/status-mark';
import { TextButton } from '@/components/text/text-button';
import { TimeAgo } from '@/components/values/time-ago';
import { operationList } from '../lists';
import type { Operation } from '../schema';
import { OPERATION_MARKS, operationTitle } from './operation-texts';

const PAGE_SIZE = 10;
const REFRESH_MS = 5_000;

type RecentOperationsProps = { search: ListSearch; openId: string | null; onOpen: (id: string | null) => void };

export function RecentOperations({ search, openId, onOpen }: RecentOperationsProps) {
  const list = useList(operationList, trpc.services.list, {
    search,
    input: {},
    limit: PAGE_SIZE,
    isCounted: false,
    refetchInterval: REFRESH_MS,
    retry: false,
  });
  return (
    <section aria-label="Operations">
      <SectionHeading title="Operations">
        <span className="spacer" />
        {list.query.data?.items.length !== 0 && <ExportButton list={list} />}
      </SectionHeading>
      <ListView
        list={list}
        empty={<NoRows>No operations yet.</NoRows>}
        caption="Operations, newest first"
        columns={columns({ openId, onOpen })}
        isSelected={({ id }) => id === openId}
        skeletonRows={3}
      />
    </section>
  );
}

function columns({ openId, onOpen }: Pick<RecentOperationsProps, 'openId' | 'onOpen'>): DataTableColumn<Operation>[] {
  return [
    {
      header: 'Operation',
      width: 216,
      mobile: 'lead',
      skeletonWidth: 120,
      cell: (operation) => (
        <TextButton
          aria-pressed={operation.id === openId}
          onClick={() => onOpen(operation.id === openId ? null : operation.id)}
        >
          {operationTitle(operation)}
        </TextButton>
      ),
    },
    {
      header: 'Result',
      width: 128,
      mobile: 'tail',
      skeletonWidth: 72,
      cell: ({ state }) => <StatusMark status={OPERATION_MARKS[state][0]}>{OPERATION_MARKS[state][1]}</StatusMark>,
    },
    {
      header: 'What happened',
      mobile: 'under',
      skeletonWidth: 200,
      className: 'soft',
      cell: ({ message }) => <Clipped text={message} />,
    },
    {
      header: 'Requested by',
      width: 200,
      isOptional: true,
      cell: ({ requested_by: admin }) => <Clipped text={admin?.email ?? 'Schedule'} />,
    },
    {
      header: 'When',
      width: 144,
      className: 'soft',
      cell: ({ created_at: at }) => <TimeAgo iso={at} />,
    },
  ];
}

'use client';

import Link from 'next/link';
import type { BatchSent } from '@/components/api/use-send';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';

type Result = BatchSent['results'][number];

const COLUMNS: DataTableColumn<Result>[] = [
  {
    key: 'outcome',
    header: 'Outcome',
    kind: 'mark',
    mobile: 'mark',
    width: 120,
    cell: ({ message_id }) =>
      message_id ? <StatusMark status="sent">Accepted</StatusMark> : <StatusMark status="failed" />,
  },
  { key: 'index', header: 'No.', kind: 'figure', mobile: 'side', width: 56, cell: ({ index }) => index + 1 },
  {
    key: 'what',
    header: 'Message id, or what was wrong',
    mobile: 'under',
    cell: ({ message_id, error, code }) =>
      message_id ? (
        <Link className="mono clip" href={`/messages?q=${encodeURIComponent(message_id)}`}>
          {message_id}
        </Link>
      ) : (
        <span className="wrap">
          {error} <code>{code}</code>
        </span>
      ),
  },
];

export function BatchResults({ results }: { results: Result[] }) {
  return (
    <DataTable caption="Results of the batch" columns={COLUMNS} rows={results} rowKey={({ index }) => String(index)} />
  );
}

'use client';

import type { BatchSent } from '@/components/api/use-send';
import { DataTable, type DataTableColumn } from '@/components/data-table/data-table';
import { StatusMark } from '@/components/marks/status-mark';
import { NearLink } from '@/components/near-link';

type Result = BatchSent['results'][number];

const COLUMNS: DataTableColumn<Result>[] = [
  {
    header: 'Status',
    kind: 'mark',
    mobile: 'mark',
    width: 120,
    cell: (result) =>
      'message_id' in result ? <StatusMark status="sent">Accepted</StatusMark> : <StatusMark status="failed" />,
  },
  { key: 'index', header: 'No.', kind: 'figure', mobile: 'side', width: 56, cell: ({ index }) => index + 1 },
  {
    header: 'Message ID or error',
    mobile: 'under',
    cell: (result) =>
      'message_id' in result ? (
        <NearLink className="mono clip" href={`/messages?q=${encodeURIComponent(result.message_id)}`}>
          {result.message_id}
        </NearLink>
      ) : (
        <span className="wrap">
          {result.error} <code>{result.code}</code>
        </span>
      ),
  },
];

export function BatchResults({ results }: { results: Result[] }) {
  return <DataTable caption="Batch results" columns={COLUMNS} rows={results} rowKey={({ index }) => String(index)} />;
}

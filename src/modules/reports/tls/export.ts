import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { ExportTlsReports, TlsReportSummary } from './schema';
import { listTlsReports } from './service';

const COLUMNS = [
  'id',
  'begin',
  'end',
  'organisation',
  'sessions',
  'failed_sessions',
  'domain_id',
  'contact',
  'report_id',
  'source',
  'received_at',
] as const satisfies (keyof TlsReportSummary)[];

/** @throws the errors of listTlsReports */
export function exportTlsReports(ctx: ActorContext, { format: _, ...filters }: ExportTlsReports): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'tls-reports',
    page: (part) => listTlsReports(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf: (item) => item,
  });
}

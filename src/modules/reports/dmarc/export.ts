import { exportList } from '@/server/list/export-list';
import type { ActorContext } from '@/server/procedures/context';
import type { FileOutput } from '@/server/rest/file';
import type { DmarcReportSummary, ExportDmarcReports } from './schema';
import { listDmarcReports } from './service';

const COLUMNS = [
  'id',
  'begin',
  'end',
  'organisation',
  'messages',
  'aligned',
  'failed',
  'domain_id',
  'email',
  'report_id',
  'source',
  'received_at',
] as const satisfies (keyof DmarcReportSummary)[];

/** @throws the errors of listDmarcReports */
export function exportDmarcReports(
  ctx: ActorContext,
  { format: _, ...filters }: ExportDmarcReports,
): Promise<FileOutput> {
  return exportList(ctx, {
    name: 'dmarc-reports',
    page: (part) => listDmarcReports(ctx, { ...filters, ...part }),
    columns: COLUMNS,
    rowOf: (item) => item,
  });
}

import { Empty } from '@/lib/wire';
import { EXPORT_DESCRIPTION } from '@/server/list/export-list';
import { adminProcedure, router, superAdminProcedure } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { FileOutput } from '@/server/rest/file';
import { rest } from '@/server/rest/meta';
import { exportSenders } from './export-senders';
import {
  AbuseSenderPage,
  AbuseSummary,
  AbuseThresholds,
  ExportAbuseSenders,
  ListAbuseSenders,
  UpdateAbuseThresholds,
} from './schema';
import { listAbuseSenders } from './senders';
import { getAbuseSummary, getAbuseThresholds, updateAbuseThresholds } from './service';

const tag = 'Abuse';
const thresholds = versioned('abuse_threshold', getAbuseThresholds);

export const abuseRouter = router({
  summary: adminProcedure(Empty)
    .meta(rest('GET', '/abuse/summary', { tag, summary: 'Get a summary of sending and limits' }))
    .output(AbuseSummary)
    .query(({ ctx }) => getAbuseSummary(ctx)),

  senders: adminProcedure(ListAbuseSenders)
    .meta(
      rest('GET', '/abuse/senders', {
        tag,
        summary: 'List top senders',
        isPaginated: true,
        errors: { 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(AbuseSenderPage)
    .query(({ ctx, input }) => listAbuseSenders(ctx, input)),

  exportSenders: adminProcedure(ExportAbuseSenders)
    .meta(
      rest('GET', '/abuse/senders/export', {
        tag,
        summary: 'Export top senders as CSV',
        description: EXPORT_DESCRIPTION,
        file: 'text/csv; charset=utf-8',
        errors: { 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => exportSenders(ctx, input)),

  thresholds: adminProcedure(Empty)
    .meta(rest('GET', '/abuse/thresholds', { tag, versioned: thresholds, summary: 'Get the sending limits' }))
    .output(AbuseThresholds)
    .query(({ ctx }) => getAbuseThresholds(ctx)),

  updateThresholds: superAdminProcedure(UpdateAbuseThresholds)
    .meta(
      rest('PATCH', '/abuse/thresholds', {
        tag,
        versioned: thresholds,
        summary: 'Update the sending limits',
        description: 'Changes only the supplied values. Takes effect immediately.',
        audit: 'abuse_threshold.update',
      }),
    )
    .output(AbuseThresholds)
    .mutation(({ ctx, input }) => updateAbuseThresholds(ctx, input)),
});

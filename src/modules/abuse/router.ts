import { Empty } from '@/lib/wire';
import { Alert, AlertPage, ExportAlerts, ListAlerts, UpdateAlert } from '@/modules/alerts/schema';
import { getAlert, listAlerts, updateAlert } from '@/modules/alerts/service';
import { EXPORT_DESCRIPTION } from '@/server/list/export-list';
import { adminProcedure, router, superAdminProcedure } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { FileOutput } from '@/server/rest/file';
import { rest } from '@/server/rest/meta';
import { exportAlerts } from './export-alerts';
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
const alert = versioned('alert', getAlert);
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

  alerts: adminProcedure(ListAlerts)
    .meta(
      rest('GET', '/abuse/alerts', {
        tag,
        summary: 'List alerts',
        isPaginated: true,
        errors: { 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(AlertPage)
    .query(({ ctx, input }) => listAlerts(ctx, input)),

  exportAlerts: adminProcedure(ExportAlerts)
    .meta(
      rest('GET', '/abuse/alerts/export', {
        tag,
        summary: 'Export alerts as CSV',
        description: EXPORT_DESCRIPTION,
        file: 'text/csv; charset=utf-8',
        errors: { 404: ['DOMAIN_NOT_FOUND'] },
      }),
    )
    .output(FileOutput)
    .query(({ ctx, input }) => exportAlerts(ctx, input)),

  updateAlert: adminProcedure(UpdateAlert)
    .meta(
      rest('PATCH', '/abuse/alerts/{id}', {
        tag,
        versioned: alert,
        summary: 'Acknowledge, close or reopen an alert',
        audit: 'alert.update',
        errors: { 404: ['NOT_FOUND'], 409: ['CONFLICT'] },
      }),
    )
    .output(Alert)
    .mutation(({ ctx, input }) => updateAlert(ctx, input)),

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

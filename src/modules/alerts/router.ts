import { EXPORT_DESCRIPTION } from '@/server/list/export-list';
import { adminProcedure, router } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { FileOutput } from '@/server/rest/file';
import { rest } from '@/server/rest/meta';
import { exportAlerts } from './export';
import { Alert, AlertPage, ExportAlerts, ListAlerts, UpdateAlert } from './schema';
import { getAlert, listAlerts, updateAlert } from './service';

const tag = 'Alerts';
const alert = versioned('alert', getAlert);

export const alertsRouter = router({
  list: adminProcedure(ListAlerts)
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

  export: adminProcedure(ExportAlerts)
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

  update: adminProcedure(UpdateAlert)
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
});

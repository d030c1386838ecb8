import { listProcedures } from '@/server/list/list-procedures';
import { adminProcedure, router } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { rest } from '@/server/rest/meta';
import { alertList } from './lists';
import { Alert, ListAlerts, UpdateAlert } from './schema';
import { getAlert, listAlerts, updateAlert } from './service';

const tag = 'Alerts';
const alert = versioned('alert', getAlert);

const alerts = listProcedures(alertList, {
  procedure: adminProcedure,
  item: Alert,
  input: ListAlerts,
  find: listAlerts,
  tag,
  errors: { 404: ['DOMAIN_NOT_FOUND'] },
});

export const alertsRouter = router({
  list: alerts.list,

  export: alerts.export,

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

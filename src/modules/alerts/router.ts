import { ById, Confirmation } from '@/lib/wire';
import { listProcedures } from '@/server/list/list-procedures';
import { adminProcedure, router, superAdminProcedure } from '@/server/procedures/trpc';
import { versioned } from '@/server/procedures/versions';
import { restOf } from '@/server/rest/meta';
import { testAlertEmails } from './emails/test-email';
import { alertList, alertMuteList } from './lists';
import { AlertMute, CreateAlertMute } from './mutes/schema';
import { createAlertMute, deleteAlertMute, listAlertMutes } from './mutes/service';
import { Alert, AlertEmailTest, AlertFilters, TestAlertEmails, UpdateAlert } from './schema';
import { getAlert, listAlerts, updateAlert } from './service';

const tag = 'Alerts';
const rest = restOf(tag);
const alert = versioned('alert', getAlert);

const alerts = listProcedures(alertList, {
  procedure: adminProcedure,
  item: Alert,
  filters: AlertFilters,
  find: listAlerts,
  tag,
});

const mutes = listProcedures(alertMuteList, {
  procedure: adminProcedure,
  item: AlertMute,
  find: listAlertMutes,
  tag,
  description: 'Those that have not ended.',
});

export const alertsRouter = router({
  list: alerts.list,

  export: alerts.export,

  mutes: mutes.list,

  exportMutes: mutes.export,

  mute: adminProcedure(CreateAlertMute)
    .meta(
      rest('POST', '/alert-mutes', {
        summary: 'Mute alerts',
        description:
          'Alerts that match every given field are recorded, but notify neither by email nor by webhook when they open. Those that ' +
          'are still open when the mute ends notify then. Replaces a mute of the same alerts. Without a domain, an end within 24 hours is required; ' +
          'of super admins, within 30 days, and only without a kind and subject, too.',
        status: 201,
        audit: 'alert_mute.create',
        confirmation: null,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(AlertMute)
    .mutation(({ ctx, input }) => createAlertMute(ctx, input)),

  unmute: adminProcedure(ById)
    .meta(
      rest('DELETE', '/alert-mutes/{id}', {
        summary: 'Unmute alerts',
        description: 'Alerts that are still open notify now, unless another mute applies to them.',
        audit: 'alert_mute.delete',
      }),
    )
    .output(Confirmation)
    .mutation(({ ctx, input }) => deleteAlertMute(ctx, input)),

  testEmails: superAdminProcedure(TestAlertEmails)
    .meta(
      rest('POST', '/alert-emails/test', {
        summary: 'Send a test to the addresses of alert emails',
        description: 'To all addresses of `ALERT_EMAILS`, at once and whatever alerts they get.',
        audit: 'alert_email.test',
        confirmation: 'Emails everyone who gets alert emails.',
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(AlertEmailTest)
    .mutation(({ ctx }) => testAlertEmails(ctx)),

  update: adminProcedure(UpdateAlert)
    .meta(
      rest('PATCH', '/abuse/alerts/{id}', {
        versioned: alert,
        summary: 'Acknowledge, close or reopen an alert',
        audit: 'alert.update',
        confirmation: null,
        errors: { 409: ['CONFLICT'] },
      }),
    )
    .output(Alert)
    .mutation(({ ctx, input }) => updateAlert(ctx, input)),
});

import { z } from 'zod';
import { Id, RANGE_FILTERS, Timestamp } from '@/lib/wire';

export const AlertKind = z.enum([
  'mailbox_suspended',
  'rate_limited',
  'volume_spike',
  'webhook_failing',
  'wrong_passwords',
  'dns_broken',
  'content_store',
  'system_down',
  'system_degraded',
]);
export const AlertSeverity = z.enum(['warning', 'critical']);
const AlertStatus = z.enum(['open', 'acknowledged', 'closed']);

export const Alert = z
  .object({
    id: Id,
    kind: AlertKind,
    severity: AlertSeverity,
    status: AlertStatus,
    subject: z.string().meta({
      description: 'The email address, domain, webhook, IP address, content store or part of the system',
    }),
    domain_id: Id.nullable(),
    mailbox_id: Id.nullable(),
    message: z.string().meta({ description: 'The summary and the details' }),
    summary: z.string().meta({ description: 'What happened, in one sentence that names the subject' }),
    details: z.string().meta({
      description: 'What was found, what it means and what to do. Empty if the summary says it all',
    }),
    count: z.number().int().meta({
      description:
        'Messages in the hour before the alert; for a webhook, failures in a row; different wrong passwords; broken DNS records',
    }),
    expected: z.number().meta({ description: 'The limit; for a spike, the usual messages per hour; for a webhook, 0' }),
    created_at: Timestamp,
    updated_at: Timestamp,
    acknowledged_at: Timestamp.nullable(),
    closed_at: Timestamp.nullable(),
    notified_at: Timestamp.nullable().meta({
      description:
        'When webhooks were notified that it opened. Emails follow, or wait while it is muted. Null: it has been muted since it opened',
    }),
    muted: z.boolean().meta({ description: 'Whether alerts such as this one notify nobody now when they open' }),
    changed_by: z
      .object({ id: Id, email: z.string().meta({ description: 'The address at that time' }) })
      .nullable()
      .meta({
        description:
          'The admin who acknowledged or closed it. Null: it is open, or that entry of the audit log is archived',
      }),
    resolved: z.boolean().meta({ description: 'Closed because its cause is gone, not by an admin' }),
  })
  .meta({ id: 'Alert' });
export type Alert = z.infer<typeof Alert>;

export const TestAlertEmails = z.strictObject({});

export const AlertEmailTest = z
  .object({
    to: z.array(z.string()).meta({ description: 'The addresses of `ALERT_EMAILS`' }),
    accepted: z.boolean().meta({ description: 'Whether the mail server accepted the email, for at least one of them' }),
    problem: z.string().meta({ description: 'Why not, or which addresses it refused; else empty' }),
  })
  .meta({ id: 'AlertEmailTest' });
export type AlertEmailTest = z.infer<typeof AlertEmailTest>;

export const AlertFilters = z.strictObject({
  status: AlertStatus.optional(),
  kind: AlertKind.optional(),
  severity: AlertSeverity.optional(),
  domain_id: Id.optional(),
  ...RANGE_FILTERS,
});

export const UpdateAlert = z.strictObject({ id: Id, status: AlertStatus });
export type UpdateAlert = z.infer<typeof UpdateAlert>;

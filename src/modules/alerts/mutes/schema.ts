import { z } from 'zod';
import { EnteredTimestamp, Id, plainText, Timestamp } from '@/lib/wire';
import { AlertKind, AlertSeverity } from '../schema';

const MAX_SUBJECT_LENGTH = 500;

export const AlertMute = z
  .object({
    id: Id,
    kind: AlertKind.nullable().meta({ description: 'The kind of alerts that are muted. Null: every kind' }),
    severity: AlertSeverity.nullable().meta({ description: 'Null: both severities' }),
    domain_id: Id.nullable().meta({ description: 'The domain whose alerts are muted. Null: all alerts' }),
    domain: z.string().nullable().meta({ description: 'Name of the domain' }),
    subject: z
      .string()
      .nullable()
      .meta({ description: 'The `subject` of the alerts that are muted. Null: every subject' }),
    reason: z.string(),
    ends_at: Timestamp.nullable().meta({ description: 'Null: when somebody unmutes them' }),
    created_at: Timestamp,
    created_by: z.object({ id: Id, email: z.string().meta({ description: 'The address at that time' }) }),
  })
  .meta({ id: 'AlertMute' });
export type AlertMute = z.infer<typeof AlertMute>;

export const CreateAlertMute = z.strictObject({
  kind: AlertKind.nullable().default(null).meta({ description: 'Null: every kind' }),
  severity: AlertSeverity.nullable().default(null).meta({ description: 'Null: both severities' }),
  domain_id: Id.nullable().default(null).meta({ description: 'Null: alerts of all domains, and of none' }),
  subject: plainText(MAX_SUBJECT_LENGTH)
    .min(1)
    .nullable()
    .default(null)
    .meta({ description: 'The `subject` of an alert, in any case, or the host of a webhook. Null: every subject' }),
  reason: plainText(500).default(''),
  ends_at: EnteredTimestamp.nullable()
    .default(null)
    .meta({ description: 'Null: when somebody unmutes them, which is possible only for some alerts' }),
});
export type CreateAlertMute = z.infer<typeof CreateAlertMute>;

const DAY_HOURS = 24;

type Scope = { kind: string | null; domain_id: string | null; subject: string | null };

/** Returns for how many hours such alerts can be muted, or null if without an end. Nobody keeps the others unaware for ever. */
export function maxMuteHours({ kind, domain_id, subject }: Scope, isSuperAdmin: boolean): number | null {
  if (domain_id !== null) return null;
  if (!isSuperAdmin) return DAY_HOURS;
  return kind === null && subject === null ? 30 * DAY_HOURS : null;
}

/** Says what {@link maxMuteHours} allows. */
export function maxMuteText(hours: number): string {
  return hours === DAY_HOURS
    ? 'Choose an end within 24 hours, or a domain. Only super admins can mute other alerts for longer.'
    : 'Choose an end within 30 days, or a kind, domain or subject.';
}

import type { Status } from '@/components/marks/status-mark';
import type { Alert } from '../schema';

/** The word beside a subject, and the name that stands alone. */
export const KINDS: Record<Alert['kind'], [Status, string, string]> = {
  mailbox_suspended: ['failed', 'Suspended', 'Mailbox suspended'],
  rate_limited: ['bounced', 'Over limit', 'Hourly limit reached'],
  volume_spike: ['warning', 'Spike', 'Volume spike'],
  webhook_failing: ['failed', 'Failing', 'Webhook failing'],
  wrong_passwords: ['warning', 'Guessing', 'Password guessing'],
  dns_broken: ['bounced', 'DNS', 'DNS records'],
  content_store: ['failed', 'Storage', 'Content storage'],
  system_down: ['failed', 'Down', 'System down'],
  system_degraded: ['warning', 'Degraded', 'System degraded'],
};

/** Open is the usual one. */
export const STATUSES: Record<Exclude<Alert['status'], 'open'>, string> = {
  acknowledged: 'Acknowledged',
  closed: 'Closed',
};

export const SEVERITIES: Record<Alert['severity'], string> = { critical: 'Critical', warning: 'Warning' };

/** The names of kinds and severities, as in the filters. */
export const KIND_OPTIONS = Object.entries(KINDS).map(([value, [, , label]]) => ({ value, label }));
export const SEVERITY_OPTIONS = Object.entries(SEVERITIES).map(([value, label]) => ({ value, label }));

/** The sections of the notification settings, while they load. */
export const NOTIFICATION_HEIGHTS = [608, 424, 160];

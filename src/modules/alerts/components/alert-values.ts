import type { Status } from '@/components/marks/status-mark';
import type { Alert } from '../schema';

export const KINDS: Record<Alert['kind'], [Status, string]> = {
  mailbox_suspended: ['failed', 'Suspended'],
  rate_limited: ['bounced', 'Over limit'],
  volume_spike: ['warning', 'Spike'],
  webhook_failing: ['failed', 'Failing'],
  wrong_passwords: ['warning', 'Guessing'],
  dns_broken: ['failed', 'DNS'],
  content_store: ['failed', 'Storage'],
  system_down: ['failed', 'Down'],
  system_degraded: ['deferred', 'Degraded'],
};

/** Open is the usual one. */
export const STATUSES: Record<Exclude<Alert['status'], 'open'>, string> = {
  acknowledged: 'Acknowledged',
  closed: 'Closed',
};

export const SEVERITIES: Record<Alert['severity'], string> = { critical: 'Critical', warning: 'Warning' };

/** The names of kinds and severities, as in the filters. */
export const KIND_OPTIONS = Object.entries(KINDS).map(([value, [, label]]) => ({ value, label }));
export const SEVERITY_OPTIONS = Object.entries(SEVERITIES).map(([value, label]) => ({ value, label }));

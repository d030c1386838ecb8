import type { List, ListInput } from '@/lib/lists';
import type { AlertMute } from './mutes/schema';
import type { Alert, AlertFilters } from './schema';

export const alertList = {
  what: 'alerts',
  path: '/abuse/alerts',
  /** By severity: with `desc`, critical ones first, and of each severity the newest first. */
  sorts: ['created_at', 'severity'],
  file: 'alerts',
  views: 'alerts',
  csv: [
    'id',
    'created_at',
    'kind',
    'severity',
    'status',
    'subject',
    'message',
    'count',
    'expected',
    'domain_id',
    'mailbox_id',
    'acknowledged_at',
    'closed_at',
    'notified_at',
    'muted',
    'resolved',
    'updated_at',
  ],
} satisfies List<Alert>;
export type ListAlerts = ListInput<typeof alertList, typeof AlertFilters>;

export const alertMuteList = {
  what: 'alert mutes',
  path: '/alert-mutes',
  sorts: ['created_at'],
  csv: [
    'id',
    'kind',
    'severity',
    'domain',
    'subject',
    'reason',
    'ends_at',
    'created_at',
    ['created_by', ({ created_by }) => created_by.email],
    'domain_id',
  ],
} satisfies List<AlertMute>;
export type ListAlertMutes = ListInput<typeof alertMuteList>;

/** Each alert that opens is compared with all of them, and the console shows them on one page. */
export const MAX_MUTES = 200;

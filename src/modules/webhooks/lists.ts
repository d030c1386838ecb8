import type { List, ListInput } from '@/lib/lists';
import type { Delivery, DeliveryFilters, ListedWebhook, WebhookFilters } from './schema';

export const webhookList = {
  what: 'webhooks',
  path: '/webhooks',
  sorts: ['created_at'],
  views: 'webhooks',
  csv: [
    'id',
    'name',
    'url',
    'events',
    'domain_id',
    'active',
    'failures_in_row',
    'failing_since',
    ['recent_finished', ({ recent_deliveries }) => recent_deliveries.finished],
    ['recent_delivered', ({ recent_deliveries }) => recent_deliveries.delivered],
    'last_delivered_at',
    'previous_secret_until',
    'created_by',
    'created_at',
    'updated_at',
  ],
} satisfies List<ListedWebhook>;
export type ListWebhooks = ListInput<typeof webhookList, typeof WebhookFilters>;

export const deliveryList = {
  what: 'deliveries',
  fullName: 'the deliveries of a webhook',
  path: '/webhooks/{id}/deliveries',
  sorts: ['created_at'],
  file: 'webhook-deliveries',
  csv: [
    'id',
    'created_at',
    'event',
    'event_id',
    'stored_message_id',
    'recipient',
    'is_test',
    'status',
    'attempt_count',
    'attempts_left',
    ['last_attempt_at', ({ attempts }) => attempts.at(-1)?.started_at],
    ['last_status_code', ({ attempts }) => attempts.at(-1)?.status_code],
    ['last_failure', ({ attempts }) => attempts.at(-1)?.failure],
    ['last_answer', ({ attempts }) => attempts.at(-1)?.answer],
    'next_attempt_at',
    'finished_at',
  ],
} satisfies List<Delivery>;
export type ListDeliveries = ListInput<typeof deliveryList, typeof DeliveryFilters>;

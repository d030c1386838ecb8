import { z } from 'zod';
import { ALL_EVENTS, EVENT_TYPES } from '@/lib/event-types';
import { EnteredTimestamp, Id, plainText, RANGE_FILTERS, Timestamp, wholeNumber } from '@/lib/wire';
import { EventTypeName } from '@/modules/events/schema';

const MAX_URL_LENGTH = 2048;
const MAX_GRACE_HOURS = 168;

const Url = z
  .string()
  .min(1, 'Enter the endpoint URL.')
  .max(MAX_URL_LENGTH, `The URL can have at most ${MAX_URL_LENGTH} characters.`)
  .superRefine((text, ctx) => {
    const error = urlError(text);
    if (error) ctx.addIssue({ code: 'custom', message: error });
  })
  .transform((text) => new URL(text).href)
  .meta({ description: 'https, without credentials or fragment', examples: ['https://hooks.example.com/postroom'] });

const Events = z
  .array(z.enum([...EVENT_TYPES, ALL_EVENTS]))
  .min(1, 'Select at least one event.')
  .max(EVENT_TYPES.length + 1)
  .transform((types) => [...new Set(types)])
  .meta({ description: 'Event types, or `*` for all of them' });

const Name = plainText(100).meta({ description: 'Display name' });

export const Webhook = z
  .object({
    id: Id,
    name: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    domain_id: Id.nullable().meta({ description: 'Null for the events of all domains' }),
    active: z
      .boolean()
      .meta({ description: 'An inactive webhook gets no new events, and its due deliveries are on hold' }),
    created_by: Id.meta({ description: 'Admin ID' }),
    failures_in_row: z.number().int().meta({ description: 'Failed attempts since the last successful one' }),
    failing_since: Timestamp.nullable(),
    previous_secret_until: Timestamp.nullable().meta({
      description: 'End of the grace period of the previous secret, which signs deliveries too until then',
    }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

export const ListedWebhook = Webhook.extend({
  recent_deliveries: z
    .object({ finished: z.number().int(), delivered: z.number().int() })
    .meta({ description: 'How many of the last 100 deliveries are finished, and how many of those succeeded' }),
  last_delivered_at: Timestamp.nullable().meta({
    description: 'When a delivery last succeeded, of those that are kept',
  }),
}).meta({ id: 'ListedWebhook' });
export type ListedWebhook = z.infer<typeof ListedWebhook>;

export const CreatedWebhook = Webhook.extend({
  secret: z.string().meta({ description: 'Signs every delivery. Returned only in this response' }),
}).meta({ id: 'CreatedWebhook' });
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;

export const WebhookFilters = z.strictObject({
  q: plainText(254).optional().meta({ description: 'Part of the name or of the URL' }),
  domain_id: Id.optional(),
  active: z.boolean().optional(),
  failing: z.boolean().optional().meta({ description: 'Whether the last attempt of an active webhook failed' }),
  event: z
    .enum(EVENT_TYPES)
    .optional()
    .meta({ description: 'Only those that are subscribed to this event, or to all' }),
});

export const CreateWebhook = z.strictObject({
  url: Url,
  events: Events,
  domain_id: Id.nullable().default(null).meta({ description: 'Null or omitted for the events of all domains' }),
  name: Name.default(''),
  active: z.boolean().default(true),
});
export type CreateWebhook = z.infer<typeof CreateWebhook>;

export const UpdateWebhook = z.strictObject({
  id: Id,
  url: Url.optional(),
  events: Events.optional(),
  name: Name.optional(),
  active: z.boolean().optional(),
});
export type UpdateWebhook = z.infer<typeof UpdateWebhook>;

export const RotateSecret = z.strictObject({
  id: Id,
  grace_hours: wholeNumber(0, MAX_GRACE_HOURS, 'hours')
    .default(24)
    .meta({ description: 'How long deliveries are signed with the old secret too. 0 revokes it immediately' }),
});
export type RotateSecret = z.infer<typeof RotateSecret>;

export const RotatedSecret = z.object({
  secret: z.string().meta({ description: 'Returned only in this response' }),
  previous_valid_until: Timestamp.nullable(),
});
export type RotatedSecret = z.infer<typeof RotatedSecret>;

export const TestWebhook = z.strictObject({
  id: Id,
  event: EventTypeName.default('mail.delivered').meta({ description: 'Type of the sample event' }),
});
export type TestWebhook = z.infer<typeof TestWebhook>;

export const DeliveryStatus = z.enum(['pending', 'retrying', 'delivered', 'abandoned']);

/** `status`: a response other than 2xx or 3xx. `redirect`: a 3xx, which is not followed. All others: no response. */
export const AttemptFailure = z.enum([
  'status',
  'redirect',
  'timeout',
  'dns',
  'blocked_address',
  'connect',
  'tls',
  'broken',
  'bad_answer',
  'bad_url',
  'bad_secret',
]);
export type AttemptFailure = z.infer<typeof AttemptFailure>;

export const DeliveryAttempt = z
  .object({
    number: z.number().int(),
    started_at: Timestamp,
    duration_ms: z.number().int(),
    status_code: z.number().int().nullable().meta({ description: 'Null if there was no response' }),
    failure: AttemptFailure.nullable().meta({ description: 'Why the attempt failed; null if it succeeded' }),
    answer: z.string().meta({
      description: 'Headers and first part of the response, or why there is none. In lists only the first line',
    }),
    remote_address: z.string().nullable(),
  })
  .meta({ id: 'DeliveryAttempt' });
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

export const Delivery = z
  .object({
    id: Id.meta({ description: 'Sent as `X-Service-Delivery` and `webhook-id`, the same on every attempt and replay' }),
    webhook_id: Id,
    event: EventTypeName,
    event_id: Id.meta({ description: 'ID of the event in `GET /events`' }),
    stored_message_id: Id.nullable().meta({ description: 'ID of the message for `GET /messages/{id}`' }),
    recipient: z.string().meta({ description: 'The recipient of the event, or the first one' }),
    is_test: z.boolean(),
    status: DeliveryStatus,
    in_flight: z.boolean().meta({ description: 'An attempt is in progress' }),
    attempts: z.array(DeliveryAttempt).meta({ description: 'The last 20, oldest first' }),
    attempt_count: z.number().int(),
    attempts_left: z.number().int().meta({ description: 'Remaining attempts, including one in progress' }),
    next_attempt_at: Timestamp.nullable(),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });
export type Delivery = z.infer<typeof Delivery>;

export const DeliveryFilters = z.strictObject({
  id: Id,

  status: DeliveryStatus.optional(),
  event: EventTypeName.optional(),
  ...RANGE_FILTERS,
});

export const ByDelivery = z.strictObject({ id: Id, delivery_id: Id });
export type ByDelivery = z.infer<typeof ByDelivery>;

export const DeliveryRequest = Delivery.extend({
  request: z.object({
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'Headers of the next or last attempt, without signatures' }),
    body: z
      .string()
      .meta({ description: 'First part of the body, verbatim. Empty once it was deleted after its retention period' }),
    body_bytes: z.number().int(),
  }),
}).meta({ id: 'WebhookDeliveryRequest' });
export type DeliveryRequest = z.infer<typeof DeliveryRequest>;

export const ReplayFailed = z.strictObject({
  id: Id,
  since: EnteredTimestamp.meta({ description: 'Replays abandoned deliveries of events recorded since then' }),
});
export type ReplayFailed = z.infer<typeof ReplayFailed>;

export const Replayed = z.object({
  replayed: z.number().int(),
  remaining: z.number().int().meta({ description: 'Deliveries left for another call, if there are very many' }),
});
export type Replayed = z.infer<typeof Replayed>;

/** The error in an endpoint URL, or null. Whether its address is allowed is checked at each attempt. */
function urlError(text: string): string | null {
  if (!URL.canParse(text)) return 'Enter a URL such as https://hooks.example.com/postroom.';
  const url = new URL(text);
  if (url.protocol !== 'https:') return 'The URL must start with https://.';
  if (url.username || url.password) return 'The URL can’t contain credentials. Verify the signature instead.';
  if (url.hash) return 'The URL can’t contain a fragment (#).';
  if (url.href.length > MAX_URL_LENGTH) return `The encoded URL can have at most ${MAX_URL_LENGTH} characters.`;
  if (CONTROL.test(text) || text !== text.trim())
    return 'The URL can’t contain control characters, or start or end with spaces.';
  return null;
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

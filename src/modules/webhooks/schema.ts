import { z } from 'zod';
import { ALL_EVENTS, EVENT_TYPES } from '@/lib/event-types';
import { Id, page, pageQuery, plainText, Timestamp } from '@/lib/wire';
import { EventTypeName } from '@/modules/events/schema';

const MAX_URL_LENGTH = 2048;
const MAX_GRACE_HOURS = 168;

const Url = z
  .string()
  .min(1)
  .max(MAX_URL_LENGTH, `At most ${MAX_URL_LENGTH} characters.`)
  .superRefine((text, ctx) => {
    const fault = faultOf(text);
    if (fault) ctx.addIssue({ code: 'custom', message: fault });
  })
  .transform((text) => new URL(text).href)
  .meta({ description: 'https, without credentials or fragment', examples: ['https://hooks.example.com/postroom'] });

const Events = z
  .array(z.enum([...EVENT_TYPES, ALL_EVENTS], 'This is not an event type.'))
  .min(1, 'At least one event type.')
  .max(EVENT_TYPES.length + 1)
  .transform((types) => [...new Set(types)])
  .meta({ description: 'Event types, or * for all of them' });

const Name = plainText(100).meta({ description: 'What people call it' });

export const Webhook = z
  .object({
    id: Id,
    name: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    domain_id: Id.nullable().meta({ description: 'Null: the events of all domains' }),
    active: z.boolean().meta({ description: 'While false it gets no new events, and those due wait' }),
    created_by: Id.meta({ description: 'Admin ID' }),
    failures_in_row: z.number().int().meta({ description: 'Attempts that failed since the last that did not' }),
    failing_since: Timestamp.nullable(),
    previous_secret_until: Timestamp.nullable().meta({ description: 'Until then the secret before signs as well' }),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof Webhook>;

export const WebhookPage = page(Webhook);

export const CreatedWebhook = Webhook.extend({
  secret: z.string().meta({ description: 'Signs every delivery. It is shown this once.' }),
}).meta({ id: 'CreatedWebhook' });
export type CreatedWebhook = z.infer<typeof CreatedWebhook>;

export const ListWebhooks = z.strictObject({
  ...pageQuery(['created_at']),
  domain_id: Id.optional(),
  active: z.boolean().optional(),
});
export type ListWebhooks = z.infer<typeof ListWebhooks>;

export const CreateWebhook = z.strictObject({
  url: Url,
  events: Events,
  domain_id: Id.nullable().default(null).meta({ description: 'Null or left out: the events of all domains' }),
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
  grace_hours: z
    .number()
    .int()
    .min(0)
    .max(MAX_GRACE_HOURS)
    .default(24)
    .meta({ description: 'How long the old secret signs as well, so that receivers can change over' }),
});
export type RotateSecret = z.infer<typeof RotateSecret>;

export const RotatedSecret = z.object({
  secret: z.string().meta({ description: 'It is shown this once.' }),
  previous_valid_until: Timestamp.nullable(),
});
export type RotatedSecret = z.infer<typeof RotatedSecret>;

export const TestWebhook = z.strictObject({
  id: Id,
  event: EventTypeName.default('mail.delivered').meta({ description: 'The type of the made-up event' }),
});
export type TestWebhook = z.infer<typeof TestWebhook>;

const DeliveryStatus = z.enum(['pending', 'retrying', 'delivered', 'abandoned']);

/** `status`: answered, but not with 2xx. `redirect`: with 3xx, which is not followed. The others: nothing was answered. */
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
]);
export type AttemptFailure = z.infer<typeof AttemptFailure>;

export const DeliveryAttempt = z
  .object({
    number: z.number().int(),
    started_at: Timestamp,
    duration_ms: z.number().int(),
    status_code: z.number().int().nullable().meta({ description: 'Null where nothing was answered' }),
    failure: AttemptFailure.nullable().meta({ description: 'Why it did not count; null where it did' }),
    answer: z.string().meta({
      description: 'Header and beginning of the answer, or what kept it from coming; in a list its first line',
    }),
    remote_address: z.string().nullable(),
  })
  .meta({ id: 'DeliveryAttempt' });
export type DeliveryAttempt = z.infer<typeof DeliveryAttempt>;

export const Delivery = z
  .object({
    id: Id.meta({ description: 'X-Service-Delivery and webhook-id: the same on every attempt' }),
    webhook_id: Id,
    event: EventTypeName,
    event_id: Id.meta({ description: 'The event in GET /events' }),
    stored_message_id: Id.nullable().meta({ description: 'The message in GET /messages/{id}' }),
    recipient: z.string().meta({ description: 'Whom the event concerns, or the first of them' }),
    is_test: z.boolean(),
    status: DeliveryStatus,
    in_flight: z.boolean().meta({ description: 'An attempt is under way' }),
    attempts: z.array(DeliveryAttempt).meta({ description: 'The last 20, oldest first' }),
    attempt_count: z.number().int(),
    attempts_left: z.number().int().meta({ description: 'How many may still come, the one under way included' }),
    next_attempt_at: Timestamp.nullable(),
    created_at: Timestamp,
    finished_at: Timestamp.nullable(),
  })
  .meta({ id: 'WebhookDelivery' });
export type Delivery = z.infer<typeof Delivery>;

export const DeliveryPage = page(Delivery);

export const ListDeliveries = z.strictObject({
  id: Id,
  ...pageQuery(['created_at']),
  status: DeliveryStatus.optional(),
  event: EventTypeName.optional(),
});
export type ListDeliveries = z.infer<typeof ListDeliveries>;

export const ByDelivery = z.strictObject({ id: Id, delivery_id: Id });
export type ByDelivery = z.infer<typeof ByDelivery>;

export const DeliveryRequest = Delivery.extend({
  request: z.object({
    headers: z.record(z.string(), z.string()).meta({ description: 'As the next or last attempt has them, unsigned' }),
    body: z.string().meta({ description: 'The beginning of the body, verbatim; empty once deleted for its age' }),
    body_bytes: z.number().int(),
  }),
}).meta({ id: 'WebhookDeliveryRequest' });
export type DeliveryRequest = z.infer<typeof DeliveryRequest>;

export const ReplayFailed = z.strictObject({
  id: Id,
  since: Timestamp.meta({ description: 'Deliveries of events recorded since then that were abandoned' }),
});
export type ReplayFailed = z.infer<typeof ReplayFailed>;

export const Replayed = z.object({
  replayed: z.number().int(),
  remaining: z.number().int().meta({ description: 'Left for another call, where there are very many' }),
});
export type Replayed = z.infer<typeof Replayed>;

/** What is wrong with the address of an endpoint, or null. Whether it may be connected to is checked at each attempt. */
function faultOf(text: string): string | null {
  if (!URL.canParse(text)) return 'This is not an address such as https://hooks.example.com/postroom.';
  const url = new URL(text);
  if (url.protocol !== 'https:') return 'The address must begin with https://.';
  if (url.username || url.password) return 'Credentials do not belong in the address: the signature shows who sends.';
  if (url.hash) return 'A fragment (#) is never sent: leave it out.';
  if (url.href.length > MAX_URL_LENGTH) return `At most ${MAX_URL_LENGTH} characters, as it is sent.`;
  if (CONTROL.test(text) || text !== text.trim()) return 'Spaces and control characters are not allowed around it.';
  return null;
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

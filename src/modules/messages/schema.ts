import { z } from 'zod';
import { withBrackets } from '@/lib/mail/message-id';
import { MAX_TAG_LENGTH, TAG_NAME, TAG_NAME_RULE, type Tags } from '@/lib/mail/message-tags';
import { DIRECTIONS, MESSAGE_STATUSES, OUTCOME_CAUSES } from '@/lib/mail/outcomes';
import { Id, RANGE_FILTERS, Timestamp } from '@/lib/wire';
import { UsedTemplate } from '@/modules/templates/schema';
import { DeliveryStatus } from '@/modules/webhooks/schema';
import { ContentStatus } from './content/schema';

export type { DropReason, UnreadBounces } from './returned/schema';

export const MessageStatus = z.enum(MESSAGE_STATUSES);
export type MessageStatus = z.infer<typeof MessageStatus>;

const OutcomeCause = z.enum(OUTCOME_CAUSES).meta({
  description:
    'Why it is deferred, bounced or failed. remote_reply: the receiving server said so in its reply; no_reply: the receiving server could not be reached or did not reply; rejected: your mail server rejected the submission; not_submitted: your mail server could not be reached; expired: the queue lifetime ended; deleted: an admin deleted the message from the queue; unknown: the message left the queue and the mail log does not show the result; not_allowed: Postroom did not send a scheduled message when it was due, response says why; bounce_report: the receiving server accepted the message and reported later that it could not be delivered',
});

const summary = {
  id: Id,
  message_id: z.string().meta({ description: 'RFC 5322 Message-ID, including the angle brackets' }),
  queue_id: z.string().nullable(),
  domain_id: Id.nullable(),
  direction: z.enum(DIRECTIONS),
  from: z.string(),
  to: z.array(z.string()),
  subject: z.string(),
  size: z.number().int().meta({ description: 'Size of the composed message in bytes' }),
  status: MessageStatus,
  on_hold: z.boolean().meta({
    description: 'Whether it is on hold in the queue: no delivery is attempted until it is released',
  }),
  outcomes: z
    .array(z.object({ status: MessageStatus, recipients: z.number().int() }))
    .meta({ description: 'How many recipients, in To, Cc and Bcc, have which status' }),
  failure: z
    .object({
      recipient: z.string(),
      status: MessageStatus,
      cause: OutcomeCause.nullable(),
      smtp_code: z.number().int().nullable(),
      enhanced_code: z.string().nullable(),
      reason: z.string().meta({ description: 'In a few words', examples: ['No such mailbox at example.org'] }),
    })
    .nullable()
    .meta({ description: 'The worst recipient that is bounced, failed or deferred, and why. Null without one' }),
  spam_score: z.number().nullable(),
  tags: z.record(z.string(), z.string()).meta({ description: 'Empty if it was sent without tags' }),
  template: UsedTemplate.optional().meta({ description: 'The template that it was made from. Missing without one' }),
  send_at: Timestamp.nullable().meta({
    description:
      'When a scheduled message leaves, or was to leave. Null if it was sent at once, and while it is held because a backup was restored',
  }),
  created_at: Timestamp.meta({ description: 'Of a scheduled message that has left: when it left' }),
  updated_at: Timestamp,
};

export const MessageSummary = z.object(summary).meta({ id: 'MessageSummary' });
export type MessageSummary = z.infer<typeof MessageSummary>;

/**
 * Outbound: `accepted` by Postroom, perhaps for later and then `rescheduled`, `postponed` because the mail server was away, or
 * `cancelled`; with recipients that are `suppressed`, or with tags or metadata that came by SMTP and are invalid (`labels_ignored`); then `queued`, `refused` or `uncertain` at the mail server, then each recipient's result.
 * A receiving server may report later that a message is `delayed` there, was `relayed` to a server that sends no reports, or `bounced`,
 * or that its recipient `complained`. A recipient may have `unsubscribed`, and `resubscribed`.
 * Inbound: `received`, `forwarded` or `spam`, or `deferred`, `bounced` or `failed` at the destination. Deliveries to webhooks
 * that the caller has access to are among them, by time.
 */
const MESSAGE_EVENT_TYPES = [
  'accepted',
  'rescheduled',
  'postponed',
  'cancelled',
  'suppressed',
  'labels_ignored',
  'queued',
  'refused',
  'uncertain',
  'delivered',
  'bounced',
  'deferred',
  'failed',
  'delayed',
  'relayed',
  'complained',
  'unsubscribed',
  'resubscribed',
  'held',
  'released',
  'received',
  'forwarded',
  'spam',
  'webhook',
] as const;

const InboundRoute = z.enum(['mailbox', 'forwarded', 'filter', 'reports']).meta({
  description:
    'Where inbound mail goes. mailbox: into a mailbox; forwarded: to an external address, by an alias; filter: stopped by the spam filter; reports: read as a DMARC or TLS report or a complaint, and in no mailbox',
});
export type InboundRoute = z.infer<typeof InboundRoute>;

/** Fields that don't apply to the event are left out. */
const EventDetail = z.object({
  source: z
    .enum(['api_key', 'console', 'smtp'])
    .optional()
    .meta({ description: 'How the message was submitted. On accepted, or on queued for a submission by SMTP' }),
  by: z.string().optional().meta({ description: 'Email of the admin, or address of the mailbox that signed in' }),
  api_key_id: Id.optional(),
  session_id: Id.nullable().optional(),
  client: z.string().nullable().optional().meta({ description: 'IP address of the SMTP client' }),
  queue_id: z.string().nullable().optional(),
  send_at: Timestamp.nullable().optional().meta({ description: 'When a scheduled message is to leave' }),
  reason: z.string().optional().meta({
    description:
      'Why the submission is unconfirmed, the message is held or its labels were ignored, as text, or the reason of the suppression',
  }),
  cause: OutcomeCause.nullable().optional(),
  smtp_code: z.number().int().nullable().optional(),
  enhanced_code: z.string().nullable().optional(),
  response: z.string().nullable().optional(),
  remote_mta: z.string().nullable().optional(),
  late: z
    .boolean()
    .optional()
    .meta({ description: 'true for a bounce that was reported after the receiving server accepted the message' }),
  list: z.string().optional().meta({ description: 'The mailing list, on unsubscribed and resubscribed' }),
  feedback_type: z.string().optional().meta({ description: 'On complained: `abuse` or `opt-out` (RFC 5965)' }),
  route: InboundRoute.optional(),
  addressed_to: z.string().optional().meta({ description: 'The alias that delivers to the recipient' }),
  forwarded_to: z.array(z.string()).optional().meta({ description: 'External addresses that an alias forwards to' }),
  spam_score: z.number().optional(),
  spam_action: z
    .string()
    .optional()
    .meta({ description: 'Action of the spam filter', examples: ['add header'] }),
  event: z.string().optional().meta({ description: 'Type of the event that the webhook delivers' }),
  status: DeliveryStatus.optional().meta({ description: 'Status of the webhook delivery' }),
  attempts: z.number().int().optional(),
  webhook_id: Id.optional(),
  delivery_id: Id.optional(),
  host: z.string().optional().meta({ description: 'Host of the webhook’s URL' }),
});

export const MessageEvent = z.object({
  type: z.enum(MESSAGE_EVENT_TYPES),
  at: Timestamp,
  recipient: z.string().nullable(),
  detail: EventDetail,
});
export type MessageEvent = z.infer<typeof MessageEvent>;

export const Message = z
  .object({
    ...summary,
    recipients: z.array(
      z.object({
        address: z.string(),
        kind: z.enum(['to', 'cc', 'bcc']),
        status: MessageStatus,
        cause: OutcomeCause.nullable(),
        route: InboundRoute.nullable(),
        smtp_code: z.number().int().nullable(),
        enhanced_code: z.string().nullable(),
        response: z.string().nullable(),
        late: z.boolean().meta({
          description: 'Whether it bounced after the receiving server had accepted the message',
        }),
        domain_id: Id.nullable().meta({
          description: 'The domain of the address. Null if this server does not manage it or you have no access to it',
        }),
        mailbox_id: Id.nullable().meta({ description: 'The mailbox with this address, if domain_id is set' }),
      }),
    ),
    events: z.array(MessageEvent),
    metadata: z.record(z.string(), z.unknown()).nullable().meta({ description: 'As it was sent' }),
    content: ContentStatus,
  })
  .meta({ id: 'Message' });
export type Message = z.infer<typeof Message>;

const filters = {
  domain_id: Id.optional(),
  direction: z.enum(DIRECTIONS).optional(),
  accepted: z
    .boolean()
    .refine((isAccepted) => isAccepted, 'Enter true, or leave it out.')
    .optional()
    .meta({ description: 'true: outbound messages that your mail server accepted, whatever happened to them later' }),
  from: searchedText(254).optional().meta({ description: 'The sender’s address, in any letter case' }),
  to: searchedText(254).optional().meta({ description: 'The address of a recipient, in any letter case' }),
  message_id: searchedText(998)
    .overwrite(withBrackets)
    .optional()
    .meta({ description: 'A Message-ID, with or without its angle brackets' }),
  tag: searchedText(2 * MAX_TAG_LENGTH + 1)
    .refine((text) => TAG_NAME.test(text.split(':', 1)[0] ?? ''), TAG_NAME_RULE)
    .optional()
    .meta({ description: 'A tag that the message was sent with, as `name:value`' }),
  template: Id.optional().meta({
    description: 'The ID of the template that the message was made from, also of a deleted one',
  }),
  api_key_id: Id.optional().meta({ description: 'The API key that sent it, also a revoked one' }),
  ...RANGE_FILTERS,
  q: searchedText(254).optional().meta({
    description:
      'An address, a Message-ID or a queue ID, or else a part of an address or of the subject, such as `@example.com`. A search for a common part reads 2,500 messages per page, so a page can have fewer matches than limit, or none, while has_more is true',
  }),
};

/** The labels that a sender stores with a message, for its own use. Absent and null are the same. */
export type Labels = { tags?: Tags | null; metadata?: Record<string, unknown> | null };

type Given<All> = { [Name in keyof All]?: NonNullable<All[Name]> };

/** The labels that there are, as requests and events have them. No tags are as if they were absent. */
export function labelsOf({ tags, metadata }: Labels): Given<Labels> {
  return { ...(tags && Object.keys(tags).length > 0 && { tags }), ...(metadata && { metadata }) };
}

/** The fields of events about a message, beyond its envelope and subject. */
export type EventLabels = Labels & { template?: UsedTemplate | null };

export function eventLabelsOf({ template, ...labels }: EventLabels): Given<EventLabels> {
  return { ...labelsOf(labels), ...(template && { template }) };
}

export const MessageFilters = z.strictObject({
  status: MessageStatus.optional(),
  ...filters,
});

// Postgres accepts NUL characters neither in stored text nor in parameters.
function searchedText(maxLength: number) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => !text.includes('\0'), 'Remove the NUL characters.');
}

export const GetTotals = z.strictObject(filters);
export type GetTotals = z.infer<typeof GetTotals>;

export const MessageTotals = z.object({
  counts: z.record(z.enum(MESSAGE_STATUSES), z.number().int()),
  /** When the counted ones begin; null for all retained messages. */
  since: Timestamp.nullable(),
  /** Whether all messages were counted, and not only the newest ones. */
  is_complete: z.boolean(),
});
export type MessageTotals = z.infer<typeof MessageTotals>;

/** The part of a message that keys see which may send and not read it. */
export const ScheduledState = Message.pick({ id: true, message_id: true, status: true, send_at: true });
export type ScheduledState = z.infer<typeof ScheduledState>;

/** Keys that send need not be able to read the message. */
export const ChangedMessage = z.union([Message, ScheduledState]);

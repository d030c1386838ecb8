import { z } from 'zod';
import type { EventType } from '@/lib/event-types';
import { BOUNCE_CATEGORIES, UNREPLIED_CAUSES } from '@/lib/mail/outcomes';
import { SUPPRESSION_REASONS } from '@/lib/mail/suppression';
import { Id } from '@/lib/wire';
import { Alert } from '@/modules/alerts/schema';
import { DnsStatus, dnsChangeFields } from '@/modules/domains/schema';
import { UsedTemplate } from '@/modules/templates/schema';

const MessageId = z.string().meta({ description: 'The Message-ID' });
const Domain = z.string().meta({ description: 'Your domain that the event is about' });
const QueueId = z.string().meta({ description: 'The queue ID of your mail server' });

/** The labels that the sender stored with a message, for itself. */
const labels = {
  tags: z.record(z.string(), z.string()).optional().meta({ description: 'If it was sent with tags' }),
  metadata: z.record(z.string(), z.unknown()).optional().meta({ description: 'If it was sent with metadata' }),
  template: UsedTemplate.optional().meta({ description: 'If it was made from a template' }),
};

const sent = {
  message_id: MessageId,
  from: z.string(),
  to: z.array(z.string()),
  subject: z.string(),
  domain: Domain,
};

const recipient = z.string().meta({ description: 'The recipient that the event is about' });

/** Fields about one recipient of a message that was sent. */
const outbound = {
  ...sent,
  recipient,
  queue_id: QueueId.nullable().meta({ description: 'Null if your mail server never queued it' }),
};

const reply = {
  remote_mta: z.string().nullable().meta({ description: 'The receiving server' }),
  smtp_code: z.int().nullable(),
};

const received = { message_id: MessageId, from: z.string(), to: recipient, domain: Domain };

const verdict = {
  spam_score: z.number().meta({ description: 'The spam filter’s score' }),
  spam_action: z.string().meta({ description: 'What the spam filter decided, such as `no action`' }),
};

const Contact = z.strictObject({ name: z.string(), email: z.string() });

const Attachment = z.strictObject({
  filename: z.string(),
  content_type: z.string(),
  disposition: z.enum(['inline', 'attachment']).nullable(),
  content_id: z.string().nullable().meta({ description: 'The name by which `body_html` shows it, as `cid:…`' }),
  size: z.int().meta({ description: 'Bytes' }),
  content_base64: z.string(),
});

/** `data` of each type of event, which the code that emits them and the OpenAPI document share. */
export const EVENT_DATA = {
  'mail.sent': z.strictObject({ ...sent, ...labels }),
  'mail.delivered': z.strictObject({
    ...outbound,
    ...reply,
    smtp_response: z.string().meta({ description: 'The reply of the receiving server' }),
    delay_seconds: z.number().meta({ description: 'From the submission to the delivery' }),
    ...labels,
  }),
  'mail.bounced': z.strictObject({
    ...outbound,
    bounce: z.strictObject({
      type: z.enum(['permanent', 'temporary']).meta({ description: '`temporary`: deferred, reported once' }),
      category: z.enum(BOUNCE_CATEGORIES),
      ...reply,
      enhanced_code: z.string().nullable(),
      diagnostic: z.string().meta({ description: 'The reply of the receiving server' }),
    }),
    will_retry: z.boolean(),
    late: z.literal(true).optional().meta({
      description: 'Only if the receiving server returned the message after it had accepted it',
    }),
    ...labels,
  }),
  'mail.failed': z.strictObject({
    ...outbound,
    reason: z
      .enum([...UNREPLIED_CAUSES, ...BOUNCE_CATEGORIES.filter((category) => category !== 'expired')])
      .meta({ description: 'Why, or the category of your mail server’s reply. `unknown`: it may have been delivered' }),
    error: z.string(),
    ...labels,
  }),
  'mail.suppressed': z.strictObject({
    ...sent,
    message_id: MessageId.nullable().meta({ description: 'Null if nobody was left and the message was not sent' }),
    recipient,
    reason: z.enum(SUPPRESSION_REASONS),
    ...labels,
  }),
  'mail.complained': z.strictObject({ ...outbound, feedback_type: z.enum(['abuse', 'opt-out']), ...labels }),
  'mail.unsubscribed': z.strictObject({
    message_id: MessageId.meta({ description: 'The message whose link it was' }),
    recipient,
    domain: Domain,
    list: z.string(),
    ...labels,
  }),
  'mail.received': z.strictObject({
    ...received,
    subject: z.string(),
    size: z.int().meta({ description: 'Bytes' }),
    queue_id: QueueId,
  }),
  'mail.received.full': z.strictObject({
    message_id: MessageId,
    subject: z.string(),
    domain: Domain,
    envelope: z.strictObject({
      mail_from: z.string(),
      rcpt_to: z.array(z.string()).meta({ description: 'The addresses of the domain' }),
    }),
    size: z.int().meta({ description: 'Bytes' }),
    ...verdict,
    queue_id: QueueId,
    from: Contact,
    to: z.array(Contact),
    cc: z.array(Contact),
    reply_to: Contact.nullable().meta({ description: 'The first address of Reply-To' }),
    reply_to_all: z.array(Contact),
    headers: z
      .record(z.string(), z.string())
      .meta({ description: 'Values of a repeated header are joined by line breaks' }),
    body_text: z.string().nullable(),
    body_html: z.string().nullable(),
    attachments: z
      .array(Attachment)
      .meta({ description: 'A message that can’t be parsed is one attachment of type `message/rfc822`' }),
  }),
  'mail.spam': z.strictObject({ ...received, ...verdict }),
  'domain.dns_changed': z.strictObject({
    domain: Domain,
    domain_id: Id,
    status: DnsStatus,
    previous_status: DnsStatus,
    changes: z
      .array(z.strictObject(dnsChangeFields))
      .meta({ description: 'The first 20. `GET /domains/{id}/dns/history` has all of them' }),
  }),
  'system.alert': z.strictObject({
    alert_id: Id,
    kind: Alert.shape.kind.exclude(['webhook_failing']),
    severity: Alert.shape.severity,
    status: Alert.shape.status.extract(['open', 'closed']),
    subject: Alert.shape.subject,
    message: Alert.shape.message,
    domain_id: Id.nullable(),
  }),
} satisfies Record<EventType, z.ZodObject>;

/** The `data` of an event, by the event's type. */
export type EventData = { [Type in EventType]: z.input<(typeof EVENT_DATA)[Type]> };

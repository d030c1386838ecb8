import { z } from 'zod';
import { Id, page, pageQuery, Timestamp } from '@/lib/wire';

export const MESSAGE_STATUSES = [
  'submitting',
  'sent',
  'deferred',
  'delivered',
  'bounced',
  'failed',
  'received',
  'spam',
  'uncertain',
] as const;

export const MessageStatus = z.enum(MESSAGE_STATUSES);
export type MessageStatus = z.infer<typeof MessageStatus>;

const summary = {
  id: Id,
  message_id: z.string().meta({ description: 'RFC 5322 Message-ID, including the angle brackets' }),
  queue_id: z.string().nullable(),
  domain_id: Id.nullable(),
  direction: z.enum(['outbound', 'inbound']),
  from: z.string(),
  to: z.array(z.string()),
  subject: z.string(),
  size: z.number().int().meta({ description: 'Size of the composed message in bytes' }),
  status: MessageStatus,
  spam_score: z.number().nullable(),
  created_at: Timestamp,
  updated_at: Timestamp,
};

export const MessageSummary = z.object(summary).meta({ id: 'MessageSummary' });
export type MessageSummary = z.infer<typeof MessageSummary>;

/**
 * Outbound: `accepted` by Postroom, then `queued`, `refused` or `uncertain` at the mail server, then each recipient's result.
 * Inbound: `received`, `forwarded` or `spam`, or `deferred`, `bounced` or `failed` at the destination. Last come deliveries
 * to webhooks that the caller has access to.
 */
const MESSAGE_EVENT_TYPES = [
  'accepted',
  'queued',
  'refused',
  'uncertain',
  'delivered',
  'bounced',
  'deferred',
  'failed',
  'held',
  'released',
  'received',
  'forwarded',
  'spam',
  'webhook',
] as const;

export const MessageEvent = z.object({
  type: z.enum(MESSAGE_EVENT_TYPES),
  at: Timestamp,
  recipient: z.string().nullable(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
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
        smtp_code: z.number().int().nullable(),
        enhanced_code: z.string().nullable(),
        response: z.string().nullable(),
      }),
    ),
    events: z.array(MessageEvent),
  })
  .meta({ id: 'Message' });
export type Message = z.infer<typeof Message>;

export const MessagePage = page(MessageSummary);

export const ListMessages = z.strictObject({
  ...pageQuery(['created_at']),
  domain_id: Id.optional(),
  direction: z.enum(['outbound', 'inbound']).optional(),
  status: MessageStatus.optional(),
  from: searchedText(254).optional(),
  to: searchedText(254).optional(),
  message_id: searchedText(998).optional(),
  since: Timestamp.optional(),
  until: Timestamp.optional(),
  q: searchedText(254)
    .optional()
    .meta({ description: 'An address, a Message-ID, a queue id or words from the subject' }),
});
export type ListMessages = z.infer<typeof ListMessages>;

// Postgres accepts NUL characters neither in stored text nor in parameters.
function searchedText(maxLength: number) {
  return z
    .string()
    .min(1)
    .max(maxLength)
    .refine((text) => !text.includes('\0'), 'Remove the NUL characters.');
}

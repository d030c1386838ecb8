import { z } from 'zod';
import { isObject } from '@/lib/json-values';
import { MAX_RECIPIENTS } from '@/lib/mail/address';
import { Metadata, Tags } from '@/lib/mail/message-labels';
import { SUPPRESSION_REASONS } from '@/lib/mail/suppression';
import { isBlank, REQUIRED } from '@/lib/texts/field-messages';
import { EnteredTimestamp, Id, plainText, Timestamp } from '@/lib/wire';
import { PlainEmail, Recipients, Sender } from './fields/addresses';
import { Attachments } from './fields/attachments';
import { Headers } from './fields/headers';
import { AutoSubmitted, InReplyTo, References, ReplyTo } from './fields/replies';
import { standardHeaders } from './fields/standard-headers';
import { UsedTemplate } from './fields/template';
import { Unsubscribe } from './fields/unsubscribe';

const ENTER_SUBJECT = 'Enter a subject.';
const MADE_TWICE = 'Leave this out: the template has the text.';

const EXAMPLE = {
  from: { email: 'hello@example.com', name: 'Example' },
  to: [{ email: 'ann@example.com' }],
  subject: 'Welcome',
  text_body: 'Thanks for signing up.',
};

const body = z
  .string()
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'NUL characters and lone surrogates aren’t allowed.');

/**
 * The body of `POST /send`. Issues with a specific error code carry it in `params.apiCode`. The object-level checks
 * also run when fields fail, so the order of error codes in docs/api-contract.md applies to all issues.
 */
export const OutgoingMessage = z
  .strictObject({
    from: Sender.meta({ description: 'Sender. Its domain must be managed here and active' }),
    to: Recipients.refine((list) => list.length > 0, 'Enter at least one address.').meta({ minItems: 1 }),
    cc: Recipients.optional(),
    bcc: Recipients.optional().meta({ description: 'Hidden from all recipients' }),
    reply_to: ReplyTo.optional(),
    in_reply_to: InReplyTo.optional(),
    references: References.optional(),
    auto_submitted: AutoSubmitted.optional(),
    ...standardHeaders,
    subject: plainText(998).min(1, ENTER_SUBJECT).optional().meta({ description: 'Required without a template' }),
    text_body: body.optional().meta({ description: 'Plain text. Required without html_body and template' }),
    html_body: body.optional().meta({ description: 'HTML. Required without text_body and template' }),
    template: UsedTemplate.optional(),
    attachments: Attachments.optional(),
    headers: Headers.optional(),
    transactional: z
      .boolean()
      .optional()
      .meta({
        description:
          'Whether the message is one that recipients who unsubscribed get, too, such as a receipt or a password reset. Other ' +
          'suppressions apply to it',
      }),
    unsubscribe: Unsubscribe.optional(),
    tags: Tags.optional(),
    metadata: Metadata.optional(),
    send_at: EnteredTimestamp.optional().meta({
      description:
        'When the message is sent, at most 30 days ahead. In the past or within seconds, it is sent at once. ISO 8601 with any offset from UTC',
    }),
  })
  .refine(hasSubject, {
    when: always,
    path: ['subject'],
    error: ({ input }) => (isObject(input) && input.subject === '' ? ENTER_SUBJECT : REQUIRED),
    params: { apiCode: 'MISSING_FIELDS' },
  })
  .refine(hasBody, { when: always, path: ['text_body'], ...bodyRequired() })
  .refine(hasBody, { when: always, path: ['html_body'], ...bodyRequired() })
  .refine((message) => !isMadeTwice(message, 'text_body'), { when: always, path: ['text_body'], error: MADE_TWICE })
  .refine((message) => !isMadeTwice(message, 'html_body'), { when: always, path: ['html_body'], error: MADE_TWICE })
  .refine(hasBoundedRecipients, {
    when: always,
    path: ['to'],
    error: `Enter at most ${MAX_RECIPIENTS} recipients in to, cc and bcc together.`,
  })
  .refine(hasOneRecipientToUnsubscribe, {
    when: always,
    path: ['unsubscribe'],
    error: 'A message with unsubscribe has one recipient. Send a batch to send to several.',
  })
  .meta({
    description: 'An outgoing message',
    examples: [EXAMPLE],
  });
export type OutgoingMessage = z.infer<typeof OutgoingMessage>;

export const MAX_BATCH = 100;
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

const SuppressedRecipient = z
  .object({
    email: z.string().meta({
      description:
        'As in the request, but the domain is in lower case, and in ASCII (`xn--…`) if it has other characters',
    }),
    reason: z.enum(SUPPRESSION_REASONS),
  })
  .meta({ id: 'SuppressedRecipient' });
export type SuppressedRecipient = z.infer<typeof SuppressedRecipient>;

const Suppressed = z
  .array(SuppressedRecipient)
  .optional()
  .meta({ description: 'Recipients that the message was not sent to. Missing if it was sent to all' });

const sent = {
  id: Id.meta({
    description: 'To read the message with GET /messages/{id}, and to cancel or reschedule a scheduled one',
  }),
  message_id: z.string().meta({ description: 'RFC 5322 Message-ID' }),
  suppressed: Suppressed,
  status: z.literal('scheduled').optional().meta({ description: 'Missing if it was sent at once' }),
  send_at: Timestamp.optional(),
};

export const Sent = z.object(sent);
export type Sent = z.infer<typeof Sent>;

export const Resend = z.strictObject({
  id: Id,
  to: z
    .array(PlainEmail)
    .min(1, 'Enter at least one address.')
    .max(MAX_RECIPIENTS, `Enter at most ${MAX_RECIPIENTS} addresses.`)
    .optional()
    .meta({ description: 'Who gets the copy instead of the original recipients. Its header stays the same' }),
});
export type Resend = z.infer<typeof Resend>;

export const RescheduleMessage = z.strictObject({
  id: Id,
  send_at: EnteredTimestamp.meta({ description: 'At most 30 days ahead. In the past, it is sent at once' }),
});
export type RescheduleMessage = z.infer<typeof RescheduleMessage>;

/** For the OpenAPI document only. Items are checked one by one, because an invalid item fails alone. */
export const Batch = z
  .strictObject({ messages: z.array(OutgoingMessage).min(1).max(MAX_BATCH) })
  .meta({ examples: [{ messages: [EXAMPLE] }] });

const SentItem = z.object({ index: z.number().int(), ...sent });

const ItemError = z.string().meta({ description: 'What is wrong, with the field that it is about' });
const FailedItem = z.object({ index: z.number().int(), error: ItemError, code: z.string(), suppressed: Suppressed });

export const BatchItem = z.union([SentItem, FailedItem]);
export type BatchItem = z.infer<typeof BatchItem>;

export const BatchSent = z.object({
  total: z.number().int(),
  succeeded: z.number().int(),
  failed: z.number().int(),
  results: z.array(BatchItem).meta({ description: 'In the order of the request' }),
});
export type BatchSent = z.infer<typeof BatchSent>;

export const SendHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .max(MAX_IDEMPOTENCY_KEY_LENGTH)
    .regex(/^[!-~]+$/)
    .optional()
    .meta({
      description:
        'Makes retries safe: a second request with the same key and body within 24 hours sends nothing and gets the same response. ' +
        'A 409 `IDEMPOTENCY_CONFLICT` has the `details.reason` different_body, or in_progress: retry after `Retry-After` seconds. ' +
        'Printable ASCII characters without spaces',
    }),
});

function always() {
  return true;
}

function bodyRequired() {
  return { error: 'Enter a text or HTML body.', params: { apiCode: 'MISSING_FIELDS' } };
}

// The next checks also run on input that failed its schema, so its shape is unknown.
function hasSubject(message: unknown): boolean {
  return !isObject(message) || hasTemplate(message) || !isBlank(message.subject);
}

function hasTemplate({ template }: Record<string, unknown>): boolean {
  return template !== undefined && template !== null;
}

function isMadeTwice(message: unknown, field: 'text_body' | 'html_body'): boolean {
  return isObject(message) && hasTemplate(message) && typeof message[field] === 'string';
}

function hasBody(message: unknown): boolean {
  if (!isObject(message) || hasTemplate(message)) return true;
  return [message.text_body, message.html_body].some((text) => text !== undefined && text !== null && text !== '');
}

function hasOneRecipientToUnsubscribe(message: unknown): boolean {
  if (!isObject(message) || message.unsubscribe === undefined || message.unsubscribe === null) return true;
  return [message.to, message.cc, message.bcc].flatMap((list) => (Array.isArray(list) ? list : [])).length <= 1;
}

function hasBoundedRecipients(message: unknown): boolean {
  if (!isObject(message)) return true;
  const counts = [message.to, message.cc, message.bcc].map((list) => (Array.isArray(list) ? list.length : 0));
  const isReportedAlready = counts.some((count) => count > MAX_RECIPIENTS);
  return isReportedAlready || counts.reduce((sum, count) => sum + count) <= MAX_RECIPIENTS;
}

/** How messages leave: through the sandbox, by SMTP to `SMTP_URL`, or not at all. */
export const Mta = z.object({ kind: z.enum(['sandbox', 'smtp', 'off']) });
export type Mta = z.infer<typeof Mta>;

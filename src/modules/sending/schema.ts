import { z } from 'zod';
import { isBase64 } from '@/lib/base64';
import { MAX_ADDRESS_LENGTH, parseAddress } from '@/lib/mail/address';
import { parseContentId } from '@/lib/mail/content-id';
import { Id, plainText } from '@/lib/wire';

/** Recipients of one message in to, cc and bcc together. */
export const MAX_RECIPIENTS = 100;

const MAX_HEADERS = 50;
const MAX_HEADER_NAME_LENGTH = 76;
const MAX_HEADER_VALUE_LENGTH = 998;
const MAX_ATTACHMENTS = 500;
const MAX_CONTENT_TYPE_LENGTH = 255;

// Empty strings pass here, because `min(1)` reports them as missing (docs/api-contract.md, Errors).
const isEmptyOr = (accepts: (text: string) => boolean) => (text: string) => text === '' || accepts(text);
const isAddress = isEmptyOr((text) => parseAddress(text) !== null);

const email = z.string().min(1, 'Enter an address.');
const emailMeta = { format: 'email', maxLength: MAX_ADDRESS_LENGTH, description: 'One plain address, local@domain' };

const name = plainText(256).optional().meta({ description: 'Display name' });

export const Address = z
  .strictObject({
    email: email.refine(isAddress, 'Enter a plain address such as ann@example.com.').meta(emailMeta),
    name,
  })
  .meta({ description: 'An address with an optional display name' });
export type Address = z.infer<typeof Address>;

const Sender = z.strictObject({
  email: email
    .refine(isAddress, {
      error: ({ input }) =>
        String(input).startsWith('@')
          ? 'Enter the part before the @.'
          : 'Enter a plain sender address such as ann@example.com.',
      params: { apiCode: 'INVALID_SENDER' },
    })
    .meta(emailMeta),
  name,
});

export const Attachment = z
  .strictObject({
    filename: plainText(255)
      .min(1, 'Enter a file name.')
      .refine(isEmptyOr(isFileName), 'Enter a file name without a path.')
      .meta({ description: 'File name without a path' }),
    content_type: z
      .string()
      .min(1, 'Enter a MIME type.')
      .max(MAX_CONTENT_TYPE_LENGTH)
      .refine(
        isEmptyOr(isLeafContentType),
        'Enter a MIME type such as application/pdf. multipart and message types aren’t allowed.',
      )
      .meta({ description: 'MIME type, with optional parameters. multipart and message types aren’t allowed' }),
    content: z
      .string()
      .refine(isBase64, 'Enter base64 with the standard alphabet and padding.')
      .meta({ description: 'Base64-encoded file content', contentEncoding: 'base64' }),
    content_id: z
      .string()
      .refine(
        (text) => parseContentId(text) !== null,
        'Enter an ID such as logo for src="cid:logo", of ASCII characters without spaces.',
      )
      .optional()
      .meta({ description: 'What html_body calls the file: `logo` for `<img src="cid:logo">`' }),
    disposition: z.enum(['attachment', 'inline']).optional().meta({
      description: 'Whether the file is listed, or shown in the message. By default, inline with a content_id',
    }),
  })
  .meta({ description: 'A file attached to the message' });
export type Attachment = z.infer<typeof Attachment>;

const Attachments = boundedArray(Attachment, MAX_ATTACHMENTS).superRefine((attachments, ctx) => {
  const ids = attachments.map(({ content_id: id }) => (id === undefined ? null : parseContentId(id)));
  for (const [index, id] of ids.entries()) {
    if (id === null || ids.indexOf(id) === index) continue;
    ctx.addIssue({ code: 'custom', path: [index, 'content_id'], message: 'Another attachment has this content_id.' });
  }
});

const Recipients = boundedArray(Address, MAX_RECIPIENTS);

// Checked before z.record, which silently drops an own `__proto__`. Sending rule 3 has its own error code.
const Headers = z
  .preprocess(
    (raw, ctx) => {
      for (const issue of headerIssues(raw)) ctx.addIssue(issue);
      return raw;
    },
    z.record(z.string(), z.string()),
  )
  .meta({
    description: `At most ${MAX_HEADERS} header fields. Names start with X-, and each value is one line of text`,
    maxProperties: MAX_HEADERS,
    propertyNames: { type: 'string', pattern: '^[Xx]-', maxLength: MAX_HEADER_NAME_LENGTH },
  });

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
    reply_to: Address.optional(),
    subject: plainText(998).min(1, 'Enter a subject.'),
    text_body: body.optional().meta({ description: 'Plain text. Required if html_body is missing' }),
    html_body: body.optional().meta({ description: 'HTML. Required if text_body is missing' }),
    attachments: Attachments.optional(),
    headers: Headers.optional(),
  })
  .refine(hasBody, { when: always, path: ['text_body'], ...bodyRequired() })
  .refine(hasBody, { when: always, path: ['html_body'], ...bodyRequired() })
  .refine(hasBoundedRecipients, {
    when: always,
    path: ['to'],
    error: `Enter at most ${MAX_RECIPIENTS} recipients in to, cc and bcc together.`,
  })
  .meta({ description: 'An outgoing message' });
export type OutgoingMessage = z.infer<typeof OutgoingMessage>;

export const MAX_BATCH = 100;
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

export const Sent = z.object({ message_id: z.string().meta({ description: 'RFC 5322 Message-ID' }) });
export type Sent = z.infer<typeof Sent>;

const Recipient = email.refine(isAddress, 'Enter a plain address such as ann@example.com.').meta(emailMeta);

export const Resend = z.strictObject({
  id: Id,
  to: z
    .array(Recipient)
    .min(1, 'Enter at least one address.')
    .max(MAX_RECIPIENTS, `Enter at most ${MAX_RECIPIENTS} addresses.`)
    .optional()
    .meta({ description: 'Who gets the copy instead of the original recipients. Its header stays the same' }),
});
export type Resend = z.infer<typeof Resend>;

export const Resent = z.object({ id: Id, message_id: z.string().meta({ description: 'RFC 5322 Message-ID' }) });
export type Resent = z.infer<typeof Resent>;

/** For the OpenAPI document only. Items are checked one by one, because an invalid item fails alone. */
export const Batch = z.strictObject({ messages: z.array(OutgoingMessage).min(1).max(MAX_BATCH) });

const SentItem = z.object({ index: z.number().int(), message_id: z.string() });

const ItemError = z.string().meta({ description: 'What is wrong, with the field that it is about' });
const FailedItem = z.object({ index: z.number().int(), error: ItemError, code: z.string() });

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
  'Idempotency-Key': z.string().max(MAX_IDEMPOTENCY_KEY_LENGTH).optional().meta({
    description:
      'Makes retries safe: a second request with the same key and body within 24 hours sends nothing and gets the same response',
  }),
});

/** Checks the length before any item, which bounds the number of issues per request. */
function boundedArray<Item extends z.ZodType>(item: Item, maxItems: number) {
  return z
    .preprocess((raw, ctx) => {
      if (Array.isArray(raw) && raw.length > maxItems) {
        ctx.addIssue({ code: 'custom', message: `Enter at most ${maxItems} items.` });
      }
      return raw;
    }, z.array(item))
    .meta({ maxItems });
}

function always() {
  return true;
}

function bodyRequired() {
  return { error: 'Enter a text or HTML body.', params: { apiCode: 'MISSING_FIELDS' } };
}

// The next two checks also run on input that failed its schema, so its shape is unknown.
function hasBody(message: unknown): boolean {
  if (!isObject(message)) return true;
  return [message.text_body, message.html_body].some((text) => text !== undefined && text !== null && text !== '');
}

function hasBoundedRecipients(message: unknown): boolean {
  if (!isObject(message)) return true;
  const counts = [message.to, message.cc, message.bcc].map((list) => (Array.isArray(list) ? list.length : 0));
  const isReportedAlready = counts.some((count) => count > MAX_RECIPIENTS);
  return isReportedAlready || counts.reduce((sum, count) => sum + count) <= MAX_RECIPIENTS;
}

type HeaderIssue = { code: 'custom'; message: string; path?: string[]; params?: { apiCode: string } };

function* headerIssues(raw: unknown): Generator<HeaderIssue> {
  if (!isObject(raw)) return;
  const names = Object.keys(raw);
  if (names.length > MAX_HEADERS) yield { code: 'custom', message: `Enter at most ${MAX_HEADERS} headers.` };
  const seen = new Set<string>();
  let reported = 0;
  for (const name of names) {
    const message = findHeaderError(name, raw[name], seen);
    if (message === null) continue;
    yield {
      code: 'custom',
      message,
      path: [name.slice(0, MAX_HEADER_NAME_LENGTH)],
      params: { apiCode: 'INVALID_HEADER' },
    };
    reported += 1;
    if (reported === MAX_HEADERS) return;
  }
}

function findHeaderError(name: string, value: unknown, seen: Set<string>): string | null {
  if (!/^x-/i.test(name)) return 'Custom header names must start with X-.';
  if (name.length > MAX_HEADER_NAME_LENGTH || !HEADER_NAME.test(name)) {
    return `Use at most ${MAX_HEADER_NAME_LENGTH} letters, digits and hyphens in a header name.`;
  }
  if (seen.has(name.toLowerCase())) return 'Duplicate header.';
  seen.add(name.toLowerCase());
  return HeaderValue.safeParse(value).success
    ? null
    : `Enter a header value of one line with at most ${MAX_HEADER_VALUE_LENGTH} characters.`;
}

const HEADER_NAME = /^x-[\w!#$%&'*+.^`|~-]+$/i;
const HeaderValue = plainText(MAX_HEADER_VALUE_LENGTH);

function isFileName(text: string): boolean {
  return !/[/\\]/.test(text) && text !== '.' && text !== '..';
}

// multipart and message parts can't be base64-encoded (RFC 2046, 5.2.1).
function isLeafContentType(text: string): boolean {
  return text.length <= MAX_CONTENT_TYPE_LENGTH && CONTENT_TYPE.test(text) && !/^(?:multipart|message)\//i.test(text);
}

const CONTENT_TYPE =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[ \t]*[\w!#$&^.+-]+=(?:[\w!#$&^.+/:-]+|"[\x20\x21\x23-\x5b\x5d-\x7e]*"))*$/;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** How messages leave: through the sandbox, by SMTP to `SMTP_URL`, or not at all. */
export const Mta = z.object({ kind: z.enum(['sandbox', 'smtp', 'off']) });
export type Mta = z.infer<typeof Mta>;

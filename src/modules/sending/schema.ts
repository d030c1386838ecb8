import { z } from 'zod';
import { MAX_ADDRESS_LENGTH, parseAddress } from '@/lib/address';
import { plainText } from '@/lib/wire';

/** Recipients of one message in to, cc and bcc together. */
export const MAX_RECIPIENTS = 100;

const MAX_HEADERS = 50;
const MAX_HEADER_NAME_LENGTH = 76;
const MAX_HEADER_VALUE_LENGTH = 998;
const MAX_ATTACHMENTS = 500;
const MAX_CONTENT_TYPE_LENGTH = 255;

// A refinement cannot tell '' from a malformed value, and what is empty counts as missing (contract.md).
const isEmptyOr = (accepts: (text: string) => boolean) => (text: string) => text === '' || accepts(text);
const isAddress = isEmptyOr((text) => parseAddress(text) !== null);

const email = z.string().min(1, 'An address is required.');
const emailMeta = { format: 'email', maxLength: MAX_ADDRESS_LENGTH, description: 'One plain local@domain' };

const name = plainText(256).optional().meta({ description: 'Display name' });

export const Address = z
  .strictObject({
    email: email.refine(isAddress, 'This is not a plain address such as ann@example.com.').meta(emailMeta),
    name,
  })
  .meta({ description: 'An address and the name shown for it' });
export type Address = z.infer<typeof Address>;

const Sender = z.strictObject({
  email: email
    .refine(isAddress, {
      error: 'The sender address is invalid such as ann@example.com.',
      params: { apiCode: 'INVALID_SENDER' },
    })
    .meta(emailMeta),
  name,
});

export const Attachment = z
  .strictObject({
    filename: plainText(255)
      .min(1, 'A file name is required.')
      .refine(isEmptyOr(isFileName), 'A file name has no path in it.')
      .meta({ description: 'File name without a path' }),
    content_type: z
      .string()
      .min(1, 'A MIME type is required.')
      .max(MAX_CONTENT_TYPE_LENGTH, `At most ${MAX_CONTENT_TYPE_LENGTH} characters.`)
      .refine(isEmptyOr(isLeafContentType), 'This is not a MIME type of a single part, such as application/pdf.')
      .meta({ description: 'MIME type; parameters allowed, multipart and message types not' }),
    content: z
      .string()
      .refine(isBase64, 'This is not base64: standard alphabet, padded, no line breaks.')
      .meta({ description: 'Base64-encoded file content', contentEncoding: 'base64' }),
  })
  .meta({ description: 'A file that goes with the message' });
export type Attachment = z.infer<typeof Attachment>;

const Recipients = boundedArray(Address, MAX_RECIPIENTS);

// Refused before z.record sees them: it drops an own `__proto__` in silence, and Sending rule 3 has a code of its own.
const Headers = z
  .preprocess(
    (raw, ctx) => {
      for (const issue of headerIssues(raw)) ctx.addIssue(issue);
      return raw;
    },
    z.record(z.string(), z.string()),
  )
  .meta({
    description: `At most ${MAX_HEADERS} header fields; every name begins with X-, every value is one line of text`,
    maxProperties: MAX_HEADERS,
    propertyNames: { type: 'string', pattern: '^[Xx]-', maxLength: MAX_HEADER_NAME_LENGTH },
  });

const body = z
  .string()
  .refine((text) => text.isWellFormed() && !text.includes('\0'), 'NUL and lone surrogates are not allowed.');

/**
 * A send request (spec.md, Outgoing message). Issues carry `params.apiCode` where the code is not the generic one;
 * the object's own checks run even while fields fail, so that the precedence of contract.md holds over all of them.
 */
export const OutgoingMessage = z
  .strictObject({
    from: Sender.meta({ description: 'Sender; its domain must be managed here and active' }),
    to: Recipients.refine((list) => list.length > 0, 'At least one recipient is required.').meta({ minItems: 1 }),
    cc: Recipients.optional(),
    bcc: Recipients.optional().meta({ description: 'Not shown to any recipient' }),
    reply_to: Address.optional(),
    subject: plainText(998).min(1, 'A subject is required.'),
    text_body: body.optional().meta({ description: 'Plain text. This or html_body is required' }),
    html_body: body.optional().meta({ description: 'HTML. This or text_body is required' }),
    attachments: boundedArray(Attachment, MAX_ATTACHMENTS).optional(),
    headers: Headers.optional(),
  })
  .refine(hasBody, { when: always, path: ['text_body'], ...bodyRequired() })
  .refine(hasBody, { when: always, path: ['html_body'], ...bodyRequired() })
  .refine(hasBoundedRecipients, {
    when: always,
    path: ['to'],
    error: `At most ${MAX_RECIPIENTS} recipients in to, cc and bcc together.`,
  })
  .meta({ description: 'An outgoing message' });
export type OutgoingMessage = z.infer<typeof OutgoingMessage>;

export const MAX_BATCH = 100;
export const MAX_IDEMPOTENCY_KEY_LENGTH = 255;

export const Sent = z.object({ message_id: z.string().meta({ description: 'RFC 5322 Message-ID' }) });
export type Sent = z.infer<typeof Sent>;

/** As it is documented; what arrives is checked item by item, because a wrong item fails alone. */
export const Batch = z.strictObject({ messages: z.array(OutgoingMessage).min(1).max(MAX_BATCH) });

const SentItem = z.object({ index: z.number().int(), message_id: z.string() });

const FailedItem = z.object({ index: z.number().int(), error: z.string(), code: z.string() });

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
    description: 'The same key and body within 24 hours sends nothing twice and gets the same answer',
  }),
});

/** An array refused by its length before any of its items is looked at, so that one request has few issues. */
function boundedArray<Item extends z.ZodType>(item: Item, maxItems: number) {
  return z
    .preprocess((raw, ctx) => {
      if (Array.isArray(raw) && raw.length > maxItems) {
        ctx.addIssue({ code: 'custom', message: `At most ${maxItems} entries.` });
      }
      return raw;
    }, z.array(item))
    .meta({ maxItems });
}

function always() {
  return true;
}

function bodyRequired() {
  return { error: 'Either text_body or html_body is required.', params: { apiCode: 'MISSING_FIELDS' } };
}

// The two checks below also see input that failed its own schema, whatever its shape.
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
  if (names.length > MAX_HEADERS) yield { code: 'custom', message: `At most ${MAX_HEADERS} header fields.` };
  const seen = new Set<string>();
  let found = 0;
  for (const name of names) {
    const message = headerFault(name, raw[name], seen);
    if (message === null) continue;
    yield {
      code: 'custom',
      message,
      path: [name.slice(0, MAX_HEADER_NAME_LENGTH)],
      params: { apiCode: 'INVALID_HEADER' },
    };
    found += 1;
    if (found === MAX_HEADERS) return;
  }
}

function headerFault(name: string, value: unknown, seen: Set<string>): string | null {
  if (!/^x-/i.test(name)) return 'A custom header name begins with X-.';
  if (name.length > MAX_HEADER_NAME_LENGTH || !HEADER_NAME.test(name)) {
    return `A header name is at most ${MAX_HEADER_NAME_LENGTH} letters, digits and hyphens.`;
  }
  if (seen.has(name.toLowerCase())) return 'This header is given twice.';
  seen.add(name.toLowerCase());
  return HeaderValue.safeParse(value).success
    ? null
    : `A header value is one line of at most ${MAX_HEADER_VALUE_LENGTH} characters.`;
}

const HEADER_NAME = /^x-[\w!#$%&'*+.^`|~-]+$/i;
const HeaderValue = plainText(MAX_HEADER_VALUE_LENGTH);

function isFileName(text: string): boolean {
  return !/[/\\]/.test(text) && text !== '.' && text !== '..';
}

// A multipart or message part needs a structure that base64 content cannot give it (RFC 2046, 5.2.1).
function isLeafContentType(text: string): boolean {
  return text.length <= MAX_CONTENT_TYPE_LENGTH && CONTENT_TYPE.test(text) && !/^(?:multipart|message)\//i.test(text);
}

const CONTENT_TYPE =
  /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[ \t]*[\w!#$&^.+-]+=(?:[\w!#$&^.+/:-]+|"[\x20\x21\x23-\x5b\x5d-\x7e]*"))*$/;

/** Whether the text is base64 of RFC 4648, section 4; one scan, since content may be 100 MB. */
function isBase64(text: string): boolean {
  if (text.length % 4 !== 0) return false;
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  return text.slice(0, text.length - padding).search(/[^A-Za-z0-9+/]/) < 0;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

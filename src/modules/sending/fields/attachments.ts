import { z } from 'zod';
import { isBase64 } from '@/lib/base64';
import { parseContentId } from '@/lib/mail/content-id';
import { ifOtherType } from '@/lib/texts/field-messages';
import { plainText } from '@/lib/wire';
import { boundedArray, isEmptyOr } from './checks';

const MAX_ATTACHMENTS = 500;
const MAX_CONTENT_TYPE_LENGTH = 255;

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
        'Enter a MIME type such as application/pdf. multipart and message types aren’t allowed, but message/rfc822.',
      )
      .overwrite(withoutEmptyParameters)
      .meta({
        description:
          'MIME type, with optional parameters. multipart and message types aren’t allowed, but message/rfc822. `text/calendar; method=REQUEST` sends an invitation with buttons',
      }),
    content: z
      .string({ error: ifOtherType('Enter base64 text, such as buffer.toString("base64").') })
      .refine(isBase64, { error: ({ input }) => contentError(String(input)) })
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

export const Attachments = boundedArray(Attachment, MAX_ATTACHMENTS).superRefine((attachments, ctx) => {
  const ids = attachments.map(({ content_id: id }) => (id === undefined ? null : parseContentId(id)));
  for (const [index, id] of ids.entries()) {
    if (id === null || ids.indexOf(id) === index) continue;
    ctx.addIssue({ code: 'custom', path: [index, 'content_id'], message: 'Another attachment has this content_id.' });
  }
});

/** Returns the error of content that isn't base64, by its start. */
function contentError(text: string): string {
  const start = text.slice(0, 1_000);
  if (/^\s*data:/i.test(start)) return 'Leave out the beginning of the data: URI, up to and with the comma.';
  if (/[-_]/.test(start) && /^[\w\s=-]+$/.test(start))
    return 'This is base64url. Enter base64 with + and /, and padding.';
  return 'Enter base64 with the standard alphabet and padding.';
}

function isFileName(text: string): boolean {
  return !/[/\\]/.test(text) && text !== '.' && text !== '..';
}

// multipart and message parts can't be base64-encoded (RFC 2046, 5.2.1).
function isLeafContentType(text: string): boolean {
  const isComposite = /^(?:multipart|message)\//i.test(text) && !isMessage(text);
  return text.length <= MAX_CONTENT_TYPE_LENGTH && CONTENT_TYPE.test(text) && !isComposite;
}

/** Whether the attachment is a message, such as one that is forwarded as a file. */
export function isMessage(contentType: string): boolean {
  return /^message\/rfc822[ \t]*(?:;|$)/i.test(contentType);
}

/** Browsers have types such as `text/csv;charset=utf-8;`, and mail programs may not read those. */
function withoutEmptyParameters(contentType: string): string {
  const [type = ''] = contentType.split(';', 1);
  return [type.trim(), ...Array.from(contentType.matchAll(PARAMETERS), ([, parameter]) => parameter)].join('; ');
}

const PARAMETER = String.raw`[\w!#$&^.+-]+=(?:[\w!#$&^.+/:-]+|"[\x20\x21\x23-\x5b\x5d-\x7e]*")`;
const PARAMETERS = new RegExp(`;[ \t]*(${PARAMETER})`, 'g');
const CONTENT_TYPE = new RegExp(String.raw`^[\w!#$&^.+-]+/[\w!#$&^.+-]+(?:[ \t]*;(?:[ \t]*${PARAMETER})?)*[ \t]*$`);

import { z } from 'zod';
import { Id, Timestamp } from '@/lib/wire';

const NOT_KEPT = [
  'off',
  'cancelled',
  'submitted_by_smtp',
  'not_stored',
  'store_full',
  'store_away',
  'no_store',
  'too_busy',
  'no_copy',
  'copy_unreadable',
] as const;
const REMOVED = ['size_limit', 'message_deleted', 'domain_deleted', 'lost'] as const;
const UNREADABLE = ['other_store', 'wrong_key', 'damaged'] as const;

const CONTENT_REASONS = [...NOT_KEPT, ...REMOVED] as const;
export type ContentReason = (typeof CONTENT_REASONS)[number] | (typeof UNREADABLE)[number];

const CONTENT_STATES = ['pending', 'kept', 'not_kept', 'expired', 'deleted'] as const;

/** Whether a message's content is kept. */
export const ContentStatus = z
  .object({
    state: z.enum(CONTENT_STATES).meta({
      description:
        'pending: being stored; kept: can be read until expires_at; not_kept: was never stored; expired: older than MESSAGE_CONTENT_DAYS, or the oldest when the store reached its size; deleted: its domain was deleted, or the store lost it',
    }),
    reason: z.enum(CONTENT_REASONS).nullable().meta({
      description:
        'Why it is not there. off: MESSAGE_CONTENT_DAYS is 0; cancelled: the message was cancelled before it left; submitted_by_smtp: your mail server passed it on without a copy; not_stored: Postroom stopped before it was stored; store_full, store_away: the content store was full, or did not respond; no_store: CONTENT_STORE of the instance or agent that processed the message is not the content store; too_busy: too much was waiting to be stored; no_copy, copy_unreadable: your mail server had no copy, or it could not be read; size_limit: the store reached CONTENT_STORE_MAX_MB; lost: the object is missing in the store',
    }),
    message: z.string().nullable().meta({ description: 'The reason in a sentence' }),
    size: z.number().int().nullable().meta({ description: 'Size of the raw message in bytes' }),
    expires_at: Timestamp.nullable(),
  })
  .meta({ id: 'ContentStatus' });
export type ContentStatus = z.infer<typeof ContentStatus>;

const ListedAttachment = z.object({
  index: z.number().int(),
  filename: z.string(),
  content_type: z.string(),
  size: z.number().int().meta({ description: 'Bytes' }),
  inline: z.boolean().meta({ description: 'Whether the HTML shows it as an image' }),
  content_id: z.string().nullable().meta({ description: 'Content-ID without brackets, to which cid: in HTML refers' }),
  disposition: z
    .enum(['inline', 'attachment'])
    .nullable()
    .meta({ description: 'What the message says: to be shown in it, or listed as a file. null: nothing' }),
});

export const MessageContent = z
  .object({
    text: z.string().nullable(),
    html: z.string().nullable().meta({
      description:
        'Sanitised: without scripts, forms, frames, styles that load anything, and remote images. Images of the message itself are included as data: URLs',
    }),
    protection: z.enum(['encrypted', 'signed']).nullable().meta({
      description:
        'What the message says of itself. encrypted: only the recipient can read the text; signed: with PGP or S/MIME, not verified here',
    }),
    headers: z
      .array(z.object({ name: z.string(), value: z.string() }))
      .meta({ description: 'In the order of the message' }),
    attachments: z.array(ListedAttachment),
    blocked_images: z.number().int().meta({ description: 'Remote images that were removed from html' }),
    truncated: z
      .boolean()
      .meta({ description: 'Whether a part is cut or left out because it is too long. The raw message has all of it' }),
  })
  .meta({ id: 'MessageContent' });
export type MessageContent = z.infer<typeof MessageContent>;

export const GetAttachment = z.strictObject({
  id: Id,
  index: z
    .string()
    .regex(/^\d{1,5}$/, 'Enter the index of an attachment.')
    .meta({ description: 'index of an attachment in the message’s content', examples: ['0'] }),
});
export type GetAttachment = z.infer<typeof GetAttachment>;

/** The message about content that can't be read, by reason. */
export const REASON_MESSAGES: Record<ContentReason, string> = {
  off: 'Message content is not kept on this server (MESSAGE_CONTENT_DAYS=0).',
  cancelled: 'The message was cancelled, and its content was deleted.',
  submitted_by_smtp: 'The message was submitted to your mail server by SMTP. Postroom keeps no copy of such messages.',
  not_stored: 'Postroom stopped before the content was stored.',
  store_full: 'The content store was full when the message was processed.',
  store_away: 'The content store did not respond when the message was processed.',
  no_store:
    'The message was processed by an instance or a mail agent that has no access to the content store. Set the same CONTENT_STORE there.',
  too_busy: 'Too many messages were waiting to be stored.',
  no_copy: 'Your mail server had no copy of the whole message.',
  copy_unreadable: 'The copy on your mail server could not be read.',
  size_limit: 'The content was deleted because the content store reached its maximum size.',
  message_deleted: 'The content was deleted with the message.',
  domain_deleted: 'The content was deleted with its domain.',
  lost: 'The content is missing in the content store.',
  other_store: 'The content is in a store that this instance can’t reach. Check CONTENT_STORE.',
  wrong_key: 'The content is encrypted with a key that is no longer in SECRET_KEY.',
  damaged: 'The stored content is damaged.',
};

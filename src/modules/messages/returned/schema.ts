import { z } from 'zod';
import { Id, Timestamp } from '@/lib/wire';

const DropReason = z.enum(['forged', 'message_deleted', 'answer', 'unreadable', 'other_recipient', 'no_message']).meta({
  description:
    'Why mail to a bounce address, or to the address for complaints, changed nothing. forged: the signature of the address is invalid; message_deleted: the message was deleted since; answer: an automatic answer, or mail of a person; unreadable: no report that Postroom knows; other_recipient: a report about an address that the message was not sent to; no_message: a complaint that doesn’t show which message it is about, or mail to unsubscribe without a valid link in its subject',
});
export type DropReason = z.infer<typeof DropReason>;

export const GetUnreadBounces = z.strictObject({
  domain_id: Id.optional().meta({ description: 'Only those of this domain' }),
});
export type GetUnreadBounces = z.infer<typeof GetUnreadBounces>;

const ownDomain = {
  domain_id: Id.nullable().meta({ description: 'Null: an address at the mail host' }),
  domain: z.string().nullable(),
};

export const UnreadBounces = z
  .object({
    dropped: z.array(z.object({ ...ownDomain, reason: DropReason, count: z.number().int(), last_at: Timestamp })).meta({
      description:
        'How much mail to bounce addresses changed nothing: the newest 200 counts. Each is deleted 30 days after its last mail',
    }),
    unread: z
      .array(
        z.object({
          id: Id,
          ...ownDomain,
          address: z.string(),
          size: z.number().int().meta({ description: 'Size of the mail in bytes' }),
          received_at: Timestamp,
        }),
      )
      .meta({
        description:
          'The newest 200 that are unreadable. They are kept for a day: the newest 100 of a domain, and 1,000 in all',
      }),
  })
  .meta({ id: 'UnreadBounces' });
export type UnreadBounces = z.infer<typeof UnreadBounces>;

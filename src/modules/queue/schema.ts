import { z } from 'zod';
import { parseAddressOrDomain, withoutSpaces } from '@/lib/mail/address';
import { isQueueId } from '@/lib/mail/queue-id';
import { Id, Timestamp } from '@/lib/wire';

export const Queue = z.enum(['deferred', 'active', 'incoming', 'hold', 'maildrop']).meta({
  description:
    'deferred: will be retried; active: delivery in progress; incoming: just arrived; hold: no delivery attempts until released; maildrop: submitted locally, not picked up yet',
});
export type Queue = z.infer<typeof Queue>;

const QueueId = z
  .string()
  .refine(isQueueId, 'Enter a Postfix queue ID such as 4jWsM35xXVzMFgn.')
  .meta({ examples: ['4jWsM35xXVzMFgn'] });

/** More than the longest address. */
const MAX_SEARCH_LENGTH = 256;

const SearchAddress = z
  .string()
  .overwrite(withoutSpaces)
  .min(1)
  .max(MAX_SEARCH_LENGTH)
  .transform((text, ctx) => {
    const parsed = parseAddressOrDomain(text);
    if (parsed !== null) return parsed;
    ctx.addIssue({ code: 'custom', message: 'Enter a full address, or @ and a domain.' });
    return z.NEVER;
  })
  .meta({ description: 'A full address, or @ and a domain', examples: ['ann@example.com', '@example.com'] });

const SearchSender = z.union([z.literal('<>'), SearchAddress]).meta({
  description: 'Like `to`, also for messages whose envelope sender is a bounce address, or <> for the null sender',
});

export const QueuedMessage = z
  .object({
    queue_id: z.string(),
    queue: Queue,
    from: z.string().meta({
      description:
        'Envelope sender, or the author if that is a bounce address. Empty for the null sender, which bounces have',
    }),
    from_suspended: z.boolean().meta({ description: 'Whether the sender’s mailbox is suspended now' }),
    recipients: z
      .array(
        z.object({
          address: z.string(),
          reason: z
            .string()
            .nullable()
            .meta({ description: 'Why the last attempt failed. Null before the first attempt' }),
          mailbox_id: Id.nullable().meta({ description: 'The mailbox with this address, if you have access to it' }),
        }),
      )
      .meta({ description: 'The first 20 recipients without a delivery' }),
    recipient_count: z.number().int(),
    size: z.number().int().meta({ description: 'Bytes' }),
    arrived_at: Timestamp,
    next_attempt_at: Timestamp.nullable().meta({
      description:
        'The earliest time of the next attempt of a deferred message. Postfix looks for those that are due every minute. Null where it is unknown',
    }),
    expires_at: Timestamp.nullable().meta({
      description:
        'When the message is given up if it is still in the queue: it is returned to its sender, and deleted if it has none. Null for a message on hold, and where it is unknown',
    }),
    message: z
      .object({ id: Id, message_id: z.string(), subject: z.string() })
      .nullable()
      .meta({ description: 'The message in GET /messages/{id}. Null if Postroom has no record of it' }),
  })
  .meta({ id: 'QueuedMessage' });
export type QueuedMessage = z.infer<typeof QueuedMessage>;

export const QueueFilters = z.strictObject({
  queue: Queue.optional(),
  from: SearchSender.optional(),
  to: SearchAddress.optional(),
});

const count = z.number().int();

const FirstExpiresAt = Timestamp.nullable().meta({
  description: 'When the first of them is given up if it is still in the queue. Null where it is unknown',
});

export const QueueSummary = z
  .object({
    total: count,
    counts: z.object({ deferred: count, active: count, incoming: count, hold: count, maildrop: count }),
    oldest_arrived_at: Timestamp.nullable().meta({ description: 'Null if the queue is empty' }),
    causes: z
      .array(
        z.object({
          to: z.string().nullable().meta({
            description:
              'The recipient, or @ and a domain if the messages have different recipients there. Null for messages that were not tried within 15 minutes',
          }),
          reason: z.string().nullable().meta({ description: 'Why the last attempt of one of them failed' }),
          count,
          oldest_arrived_at: Timestamp,
          first_expires_at: FirstExpiresAt,
          mailbox_id: Id.nullable().meta({ description: 'The mailbox of the recipient, if you have access to it' }),
        }),
      )
      .meta({
        description:
          'Why messages wait that are not on hold: the 20 most frequent causes. A message counts for one of them, and for none if its sender is in `suspended_senders`',
      }),
    suspended_senders: z
      .array(
        z.object({
          from: z.string(),
          mailbox_id: Id,
          count,
          oldest_arrived_at: Timestamp,
          first_expires_at: FirstExpiresAt,
        }),
      )
      .meta({
        description:
          'Suspended mailboxes with messages in the queue that are not on hold: suspension doesn’t stop these. At most 20',
      }),
  })
  .meta({ id: 'QueueSummary' });
export type QueueSummary = z.infer<typeof QueueSummary>;

export const ByQueueId = z.strictObject({ queue_id: QueueId });
export type ByQueueId = z.infer<typeof ByQueueId>;

import { z } from 'zod';
import { parseAddress } from '@/lib/address';
import { isQueueId } from '@/lib/queue-id';
import { Id, page, pageQuery, Timestamp } from '@/lib/wire';

export const QUEUES = ['deferred', 'active', 'incoming', 'hold', 'maildrop'] as const;

export const Queue = z.enum(QUEUES).meta({
  description:
    'deferred: not delivered yet, tried again later; active: being tried; incoming: just came; hold: waits until it is released',
});
export type Queue = z.infer<typeof Queue>;

const QueueId = z
  .string()
  .refine(isQueueId, 'This is not a queue id of Postfix.')
  .meta({ examples: ['4jWsM35xXVzMFgn'] });

/** Longer than any address with a mark before it. */
const MAX_SOUGHT_LENGTH = 256;

const SoughtAddress = z
  .string()
  .min(1)
  .max(MAX_SOUGHT_LENGTH)
  .transform((text, ctx) => {
    const isDomain = text.startsWith('@');
    const parsed = parseAddress(isDomain ? `x${text}` : text);
    if (parsed) return isDomain ? `@${parsed.domain}` : parsed.address;
    ctx.addIssue({ code: 'custom', message: 'This is neither an address nor @ and a domain.' });
    return z.NEVER;
  })
  .meta({ description: 'A whole address, or @ and a domain', examples: ['ann@example.com', '@example.com'] });

const SoughtSender = z
  .union([z.literal('<>'), SoughtAddress])
  .meta({ description: 'As `to`; or <> for the null sender, which bounces have' });

export const QueuedMessage = z
  .object({
    queue_id: z.string(),
    queue: Queue,
    from: z.string().meta({ description: 'Of the envelope; empty for the null sender, which bounces have' }),
    recipients: z
      .array(
        z.object({
          address: z.string(),
          reason: z
            .string()
            .nullable()
            .meta({ description: 'Why the last attempt did not deliver it; null before one' }),
        }),
      )
      .meta({ description: 'Those it was not delivered to yet, the first 20' }),
    recipient_count: z.number().int(),
    size: z.number().int().meta({ description: 'Bytes' }),
    arrived_at: Timestamp,
    message: z
      .object({ id: Id, message_id: z.string(), subject: z.string() })
      .nullable()
      .meta({ description: 'The message in GET /messages/{id}, where Postroom knows it' }),
  })
  .meta({ id: 'QueuedMessage' });
export type QueuedMessage = z.infer<typeof QueuedMessage>;

export const QueuedMessagePage = page(QueuedMessage);

export const ListQueue = z.strictObject({
  ...pageQuery(['arrived_at']),
  queue: Queue.optional(),
  from: SoughtSender.optional(),
  to: SoughtAddress.optional(),
});
export type ListQueue = z.infer<typeof ListQueue>;

const count = z.number().int();

export const QueueSummary = z
  .object({
    total: count,
    counts: z.object({ deferred: count, active: count, incoming: count, hold: count, maildrop: count }),
    oldest_arrived_at: Timestamp.nullable().meta({ description: 'Null where the queue is empty' }),
  })
  .meta({ id: 'QueueSummary' });
export type QueueSummary = z.infer<typeof QueueSummary>;

export const ByQueueId = z.strictObject({ queue_id: QueueId });
export type ByQueueId = z.infer<typeof ByQueueId>;

import { z } from 'zod';
import { EVENT_TYPES, type EventType } from '@/lib/event-types';
import { Id, page, Timestamp } from '@/lib/wire';

export const EventTypeName = z.enum(EVENT_TYPES);

export const FeedEvent = z
  .object({
    sequence: z.number().int().meta({ description: 'Its place in the feed; pass the last one seen as `after`' }),
    id: Id.meta({ description: 'The same as event_id of its deliveries' }),
    domain_id: Id.nullable(),
    stored_message_id: Id.nullable().meta({ description: 'The message in GET /messages/{id}' }),
    body: z
      .object({ id: z.string(), event: z.string(), timestamp: Timestamp, data: z.record(z.string(), z.unknown()) })
      .nullable()
      .meta({ description: 'What a webhook gets' }),
  })
  .meta({ id: 'FeedEvent' });
export type FeedEvent = z.infer<typeof FeedEvent>;

export const FeedPage = page(FeedEvent);

export const ReadFeed = z.strictObject({
  after: z
    .string()
    .superRefine((text, ctx) => {
      if (/^\d{1,15}$/.test(text)) return;
      const params = { apiCode: 'INVALID_PAGINATION' };
      ctx.addIssue({ code: 'custom', params, message: 'This is no next_cursor and no sequence.' });
    })
    .default('0')
    .meta({ description: 'next_cursor of the page before, or the sequence of the last event seen' }),
  limit: z.number().int().min(1).max(200).default(50).meta({ description: 'Events a page, 1 to 200' }),
  event: EventTypeName.exclude(['mail.received.full']).optional(),
  domain_id: Id.optional(),
  since: Timestamp.optional().meta({ description: 'Events that happened since then' }),
});
export type ReadFeed = z.infer<typeof ReadFeed>;

export type EventContent = { type: EventType; messageId: string; at: Date; data: object };

/** The body of a delivery (spec.md, Events): what is stored, signed and sent is this, byte for byte. */
export function eventBody({ type, messageId, at, data }: EventContent): string {
  return JSON.stringify({ id: messageId, event: type, timestamp: at.toISOString(), data });
}
